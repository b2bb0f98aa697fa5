/** Keeps a service alive: whatever ends it, it is started again, after pauses that grow while it dies often. */

export interface Mortal {
  start(): Promise<void>
  stop(): Promise<void>
  /** Settles with the reason when it is gone. */
  readonly exited: Promise<string>
  /** It is gone because it hung: another start helps. */
  readonly hung: boolean
  readonly logFile: string
}

export interface World {
  make(): Mortal
  /** Done once, when a service answers for the first time. */
  greet(): Promise<void>
  /** Each time a service answers: what the one before it left may need somebody. Does not fail. */
  lookAround(): Promise<void>
  say(line: string): void
  pause(ms: number): Promise<unknown>
  now(): number
}

const RECENT_MS = 600_000
const FIRST_PAUSE_MS = 1000
const MOST_PAUSE_MS = 60_000

/** How long a service that died `deaths` times lately stays down: the first time not at all. */
export const pauseAfter = (deaths: number) => (deaths <= 1 ? 0 : Math.min(MOST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (deaths - 2)))

/** @throws what kept it from starting, as long as it has never been up: another start would not mend that. */
export async function supervise(world: World): Promise<never> {
  const greeting = { done: false }
  let wasUp = false
  let deaths: number[] = []
  for (;;) {
    const service = world.make()
    const failed = await service.start().then(
      () => undefined,
      (error: unknown) => error,
    )
    if (failed !== undefined && !wasUp && !service.hung) {
      await service.stop()
      throw failed
    }
    wasUp = true
    const why = failed === undefined ? await lived(service, world, greeting) : wordsOf(failed)
    await service.stop()
    deaths = [...deaths, world.now()].filter((at) => at > world.now() - RECENT_MS)
    const pauseMs = pauseAfter(deaths.length)
    const often = deaths.length > 1 ? `, ${deaths.length} times in ten minutes` : ''
    const again = pauseMs > 0 ? `again in ${pauseMs / 1000} s` : 'again'
    world.say(`The service has stopped (${why})${often}; its log is ${service.logFile}. It is started ${again}.`)
    await world.pause(pauseMs)
  }
}

/** @returns why it has ended. A job that hangs may end the service before it has greeted; the next one does then. */
async function lived(service: Mortal, world: World, greeting: { done: boolean }): Promise<string> {
  void world.lookAround()
  if (!greeting.done) {
    try {
      greeting.done = await Promise.race([world.greet().then(() => true), service.exited.then(() => false)])
    } catch (error) {
      const gone = await Promise.race([service.exited.then(() => true), world.pause(1000).then(() => false)])
      if (gone) return service.exited
      await service.stop()
      throw error
    }
  }
  return service.exited
}

export const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

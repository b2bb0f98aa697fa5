/** Keeps a service running: however it ends, it is started again, after pauses that grow while it ends often. */

/** A service that is supervised. */
export interface Supervised {
  start(): Promise<void>
  stop(): Promise<void>
  /** Settles with the reason when the service is gone. */
  readonly exited: Promise<string>
  /** True if it ended because it hung: starting it again helps. */
  readonly hung: boolean
  readonly logFile: string
}

export interface SupervisorDeps {
  make(): Supervised
  /** Called once, when a service answers for the first time. */
  greet(): Promise<void>
  /** Called each time a service answers: takes up what the one before it left behind. Never rejects. */
  recoverAfterRestart(): Promise<void>
  say(line: string): void
  pause(ms: number): Promise<unknown>
  now(): number
}

const RECENT_MS = 600_000
const FIRST_PAUSE_MS = 1000
const MOST_PAUSE_MS = 60_000

/** Milliseconds until a service is started again that ended `deaths` times within ten minutes. The first time it is started at once. */
export const pauseAfter = (deaths: number) => (deaths <= 1 ? 0 : Math.min(MOST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (deaths - 2)))

/** @throws the reason why the first start failed, unless the service hung: starting it again would not help */
export async function supervise(deps: SupervisorDeps): Promise<never> {
  const greeting = { done: false }
  let wasUp = false
  let deaths: number[] = []
  for (;;) {
    const service = deps.make()
    const failed = await service.start().then(
      () => undefined,
      (error: unknown) => error,
    )
    if (failed !== undefined && !wasUp && !service.hung) {
      await service.stop()
      throw failed
    }
    wasUp = true
    const why = failed === undefined ? await untilExit(service, deps, greeting) : wordsOf(failed)
    await service.stop()
    deaths = [...deaths, deps.now()].filter((at) => at > deps.now() - RECENT_MS)
    const pauseMs = pauseAfter(deaths.length)
    const often = deaths.length > 1 ? `, ${deaths.length} times in ten minutes` : ''
    const again = pauseMs > 0 ? `again in ${pauseMs / 1000} s` : 'again'
    deps.say(`The service has stopped (${why})${often}; its log is ${service.logFile}. It is started ${again}.`)
    await deps.pause(pauseMs)
  }
}

/** @returns why the service ended. If it ended before it could greet, the next one greets. */
async function untilExit(service: Supervised, deps: SupervisorDeps, greeting: { done: boolean }): Promise<string> {
  void deps.recoverAfterRestart()
  if (!greeting.done) {
    try {
      greeting.done = await Promise.race([deps.greet().then(() => true), service.exited.then(() => false)])
    } catch (error) {
      const gone = await Promise.race([service.exited.then(() => true), deps.pause(1000).then(() => false)])
      if (gone) return service.exited
      await service.stop()
      throw error
    }
  }
  return service.exited
}

/** The message of an error, or whatever else was thrown as text. */
export const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

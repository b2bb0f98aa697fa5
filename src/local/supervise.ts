/** Keeps a service running: restarts it whenever it ends, after pauses that grow if it ends often. */

/** A service under supervision. */
export interface Supervised {
  start(): Promise<void>
  stop(): Promise<void>
  /** Settles with the reason when the service has ended. */
  readonly exited: Promise<string>
  /** True if the service was ended because it hung. A restart helps then. */
  readonly hung: boolean
  readonly logFile: string
}

export interface SupervisorDeps {
  createService(): Supervised
  /** Called once, when the service is first ready. */
  welcome(): Promise<void>
  /** Called whenever the service is ready: recovers unfinished tasks. Never rejects. */
  recoverAfterRestart(): Promise<void>
  log(line: string): void
  pause(ms: number): Promise<unknown>
  now(): number
}

const COUNT_WINDOW_MS = 600_000
const FIRST_PAUSE_MS = 1000
const MAX_PAUSE_MS = 60_000

/** Milliseconds to wait before a restart, for a service that ended `deaths` times within ten minutes. After the first time: 0. */
export const pauseAfter = (deaths: number) => (deaths <= 1 ? 0 : Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (deaths - 2)))

/** Runs the service for ever. @throws Error if the first start fails for another reason than a hang, because a restart would not help */
export async function supervise(deps: SupervisorDeps): Promise<never> {
  const greeting = { done: false }
  let hasStarted = false
  let deaths: number[] = []
  for (;;) {
    const service = deps.createService()
    const failed = await service.start().then(
      () => undefined,
      (error: unknown) => error,
    )
    if (failed !== undefined && !hasStarted && !service.hung) {
      await service.stop()
      throw failed
    }
    hasStarted = true
    const reason = failed === undefined ? await untilExit(service, deps, greeting) : errorMessage(failed)
    await service.stop()
    deaths = [...deaths, deps.now()].filter((at) => at > deps.now() - COUNT_WINDOW_MS)
    const pauseMs = pauseAfter(deaths.length)
    const frequency = deaths.length > 1 ? `, ${deaths.length} times in ten minutes` : ''
    const restart = pauseMs > 0 ? `again in ${pauseMs / 1000} s` : 'again'
    deps.log(`The service has stopped (${reason})${frequency}; its log is ${service.logFile}. It is started ${restart}.`)
    await deps.pause(pauseMs)
  }
}

/** Waits for the service to end. If it ends before the welcome was printed, the next one prints it. @returns the reason */
async function untilExit(service: Supervised, deps: SupervisorDeps, greeting: { done: boolean }): Promise<string> {
  void deps.recoverAfterRestart()
  if (!greeting.done) {
    try {
      greeting.done = await Promise.race([deps.welcome().then(() => true), service.exited.then(() => false)])
    } catch (error) {
      const hasExited = await Promise.race([service.exited.then(() => true), deps.pause(1000).then(() => false)])
      if (hasExited) return service.exited
      await service.stop()
      throw error
    }
  }
  return service.exited
}

/** The message of an error, or any other thrown value as text. */
export const errorMessage = (error: unknown) => (error instanceof Error ? error.message : String(error))

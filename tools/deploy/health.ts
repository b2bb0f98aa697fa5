/** Health checks of a deployment through its `/healthz`. */
const PAUSE_MS = 5000
const RESPONSE_TIMEOUT_MS = 15_000

/** Waits until `/healthz` is healthy. @returns `undefined`, or the last problem if it is not healthy in time */
export async function sickness(baseUrl: string, waitSeconds: number): Promise<string | undefined> {
  return poll(baseUrl, waitSeconds, (problem) => problem === undefined)
}

/** Watches `/healthz` for `seconds`. @returns `undefined`, or the first problem */
export async function sickWithin(baseUrl: string, seconds: number): Promise<string | undefined> {
  return poll(baseUrl, seconds, (problem) => problem !== undefined)
}

async function poll(baseUrl: string, seconds: number, isEnough: (problem?: string) => boolean): Promise<string | undefined> {
  for (const deadline = Date.now() + seconds * 1000; ; ) {
    const problem = await problemOf(`${baseUrl}/healthz`)
    if (isEnough(problem) || Date.now() + PAUSE_MS > deadline) return problem
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
}

async function problemOf(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS) })
    return response.ok ? undefined : `${response.status} ${(await response.text()).slice(0, 500)}`
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error
    return String(cause)
  }
}

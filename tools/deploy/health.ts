/** Whether a deployment works, asked of the deployment itself. */
const PAUSE_MS = 5000
const ANSWER_MS = 15_000

/** @returns undefined when `/healthz` is good within the time, else what it last said */
export async function sickness(baseUrl: string, waitSeconds: number): Promise<string | undefined> {
  return asked(baseUrl, waitSeconds, (said) => said === undefined)
}

/** @returns undefined when `/healthz` is good all the time, else what it said when it was not */
export async function sickWithin(baseUrl: string, seconds: number): Promise<string | undefined> {
  return asked(baseUrl, seconds, (said) => said !== undefined)
}

async function asked(baseUrl: string, seconds: number, isEnough: (said?: string) => boolean): Promise<string | undefined> {
  for (const deadline = Date.now() + seconds * 1000; ; ) {
    const said = await once(`${baseUrl}/healthz`)
    if (isEnough(said) || Date.now() + PAUSE_MS > deadline) return said
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
}

async function once(url: string): Promise<string | undefined> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) })
    return answer.ok ? undefined : `${answer.status} ${(await answer.text()).slice(0, 500)}`
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error
    return String(cause)
  }
}

/** What a kill may have left of tasks, looked for after each start. */
import { setTimeout as sleep } from 'node:timers/promises'

export interface Look {
  readonly baseUrl: string
  readonly adminToken: string
  /** Milliseconds. */
  pause?(ms: number): Promise<unknown>
}

/** The sweep lets be what is younger, and a task its alarm that is late by less: they may be of a request. */
const YOUNG_S = 60
/** Until everything of before the start is older than that. */
const AGAIN_MS = 2.5 * YOUNG_S * 1000

/**
 * A kill while an alarm rings takes the alarm along, which only a sweep finds out; the hourly one lets be what is younger than an hour.
 * Whatever was there before this start belongs to no request any more. What was sent in the last minute before it is found the second time.
 */
export async function lookAround({ baseUrl, adminToken, pause = (ms) => sleep(ms, undefined, { ref: false }) }: Look): Promise<void> {
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ min_age_seconds: YOUNG_S })
  for (let look = 0; look < 2; look++) {
    if (look > 0) await pause(AGAIN_MS)
    // It is another start's, if this one has failed.
    const answer = await fetch(`${baseUrl}/admin/sweep`, { method: 'POST', headers, body }).catch(() => undefined)
    await answer?.body?.cancel()
  }
}

/** What a kill may have left of tasks, looked for after each start. */

export interface Look {
  readonly baseUrl: string
  readonly adminToken: string
}

/** What a request that has just begun left in the bucket is spared. */
const YOUNG_S = 60

/**
 * A kill takes alarms along. Those of tasks under way ring again at once; of others (a callback that is to be sent) the sweep finds
 * out, here and every hour. Does not fail: what did not answer has died, and its successor is asked the same.
 */
export async function recoverAfterRestart({ baseUrl, adminToken }: Look): Promise<void> {
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
  for (const [path, body] of [
    ['wake', {}],
    ['sweep', { min_age_seconds: YOUNG_S }],
  ] as const) {
    const answer = await fetch(`${baseUrl}/admin/${path}`, { method: 'POST', headers, body: JSON.stringify(body) }).catch(() => undefined)
    await answer?.body?.cancel().catch(() => undefined)
  }
}

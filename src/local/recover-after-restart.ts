/** Recovers tasks after each start, in case the previous process was killed. */

export interface RecoveryTarget {
  readonly baseUrl: string
  readonly adminToken: string
}

/** Minimum age in seconds of blobs that the sweep removes. Running requests may own younger ones. */
const MIN_AGE_S = 60

/**
 * Restores the alarms that a killed process lost. `/admin/wake` restarts tasks in progress. `/admin/sweep` finds the others, for
 * example a task whose callback is not sent yet. It also runs every hour.
 * Never rejects: if the service dies during a call, the next start repeats it.
 */
export async function recoverAfterRestart({ baseUrl, adminToken }: RecoveryTarget): Promise<void> {
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
  for (const [path, body] of [
    ['wake', {}],
    ['sweep', { min_age_seconds: MIN_AGE_S }],
  ] as const) {
    const response = await fetch(`${baseUrl}/admin/${path}`, { method: 'POST', headers, body: JSON.stringify(body) }).catch(() => undefined)
    await response?.body?.cancel().catch(() => undefined)
  }
}

/**
 * Daily results of the health checks, in one small JSON blob. While the bucket is unavailable, no result is stored, so that day has fewer
 * checks.
 */

/** Result of one health check for each service part, by its name. */
export type HealthCheckResult = Readonly<Record<string, { readonly ok: boolean; readonly ms: number }>>

export interface DailyPartStatus {
  readonly looks: number
  readonly failures: number
  /** Response times of successful checks in milliseconds: sum (`ms`) and maximum (`mostMs`). */
  readonly ms: number
  readonly mostMs: number
}

export interface StatusHistory {
  /** Last health check: its time in epoch milliseconds and its result for each part. */
  readonly last?: { readonly at: number; readonly ok: Readonly<Record<string, boolean>> }
  /** Days such as "2026-11-20" (UTC), oldest first. Days without a check are missing. */
  readonly days: readonly { readonly day: string; readonly parts: Readonly<Record<string, DailyPartStatus>> }[]
}

const KEY = 'status/days.json'
const HISTORY_DAYS = 90
const NO_CHECKS: DailyPartStatus = { looks: 0, failures: 0, ms: 0, mostMs: 0 }

export async function statusHistory(bucket: R2Bucket): Promise<StatusHistory> {
  return (await (await bucket.get(KEY))?.json<StatusHistory>()) ?? { days: [] }
}

export async function recordHealthCheck(bucket: R2Bucket, at: number, look: HealthCheckResult): Promise<void> {
  const { days } = await statusHistory(bucket)
  const day = new Date(at).toISOString().slice(0, 10)
  const before = days.find((known) => known.day === day)?.parts ?? {}
  const parts = { ...before }
  for (const [name, { ok, ms }] of Object.entries(look)) {
    const known = before[name] ?? NO_CHECKS
    const answered = ok ? { ms: known.ms + ms, mostMs: Math.max(known.mostMs, ms) } : {}
    parts[name] = { ...known, looks: known.looks + 1, failures: known.failures + (ok ? 0 : 1), ...answered }
  }
  const ok = Object.fromEntries(Object.entries(look).map(([name, found]) => [name, found.ok]))
  const kept = [...days.filter((known) => known.day !== day), { day, parts }].slice(-HISTORY_DAYS)
  await bucket.put(KEY, JSON.stringify({ last: { at, ok }, days: kept } satisfies StatusHistory))
}

/**
 * How the parts of the service answered, day by day: one small object in the bucket, read and written at each look. While the bucket
 * itself cannot be reached nothing is noted: such a time has fewer looks.
 */

/** What came of asking each part, by its name. */
export type Look = Readonly<Record<string, { readonly ok: boolean; readonly ms: number }>>

export interface PartOfDay {
  readonly looks: number
  readonly failures: number
  /** Of those that answered: milliseconds, all together and the slowest. */
  readonly ms: number
  readonly mostMs: number
}

export interface StatusHistory {
  /** Epoch milliseconds of the last look, and what it found. */
  readonly last?: { readonly at: number; readonly ok: Readonly<Record<string, boolean>> }
  /** The oldest first; "2026-11-20", UTC. A day without looks is not there. */
  readonly days: readonly { readonly day: string; readonly parts: Readonly<Record<string, PartOfDay>> }[]
}

const KEY = 'status/days.json'
const DAYS_KEPT = 90
const NEVER: PartOfDay = { looks: 0, failures: 0, ms: 0, mostMs: 0 }

export async function statusHistory(bucket: R2Bucket): Promise<StatusHistory> {
  return (await (await bucket.get(KEY))?.json<StatusHistory>()) ?? { days: [] }
}

export async function noteLook(bucket: R2Bucket, at: number, look: Look): Promise<void> {
  const { days } = await statusHistory(bucket)
  const day = new Date(at).toISOString().slice(0, 10)
  const before = days.find((known) => known.day === day)?.parts ?? {}
  const parts = { ...before }
  for (const [name, { ok, ms }] of Object.entries(look)) {
    const known = before[name] ?? NEVER
    const answered = ok ? { ms: known.ms + ms, mostMs: Math.max(known.mostMs, ms) } : {}
    parts[name] = { ...known, looks: known.looks + 1, failures: known.failures + (ok ? 0 : 1), ...answered }
  }
  const ok = Object.fromEntries(Object.entries(look).map(([name, found]) => [name, found.ok]))
  const kept = [...days.filter((known) => known.day !== day), { day, parts }].slice(-DAYS_KEPT)
  await bucket.put(KEY, JSON.stringify({ last: { at, ok }, days: kept } satisfies StatusHistory))
}

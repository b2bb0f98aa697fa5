/** `Prefer` header (RFC 7240): `respond-async` never waits, even beside `wait`; `wait=N` waits up to N seconds. */

/** Longest wait that a client can request, in seconds. */
const MAX_WAIT_SECONDS = 60

export type Preference = { kind: 'async' } | { kind: 'wait'; ms: number } | undefined

export function preference(header: string | undefined): Preference {
  let wait: Preference
  for (const item of (header ?? '').split(',')) {
    const [name, value] = item
      .split(';')[0]!
      .trim()
      .toLowerCase()
      .split(/\s*=\s*/)
    if (name === 'respond-async') return { kind: 'async' }
    const seconds = name === 'wait' ? /^"?(\d{1,9})"?$/.exec(value ?? '')?.[1] : undefined
    // If a preference is given twice, the first one counts (RFC 7240, 2).
    if (seconds !== undefined) wait ??= { kind: 'wait', ms: Math.min(Number(seconds), MAX_WAIT_SECONDS) * 1000 }
  }
  return wait
}

/** Value of `Preference-Applied`: the preferences that the service honoured. */
export function preferenceApplied(preference: Preference): Record<string, string> {
  if (!preference) return {}
  const text = preference.kind === 'async' ? 'respond-async' : `wait=${preference.ms / 1000}`
  return { 'Preference-Applied': text, Vary: 'Prefer' }
}

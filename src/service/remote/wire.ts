/**
 * JSON that also encodes `undefined`, `Infinity` and `NaN`, as RPC does. A PSNR may be `Infinity`, which plain JSON turns into `null`.
 * `claim(1, 'whole', undefined)` must not become `claim(1, 'whole', null)`, which asks for part `null`.
 */
type Marked = { readonly '#': string }

const isMarked = (value: unknown): value is Marked => typeof value === 'object' && value !== null && '#' in value

/** Encodes a value. Objects in it must not have a key `#`; claims, receipts and plans have none. */
export const encodeWire = (value: unknown): string =>
  JSON.stringify(value, (_, v: unknown) =>
    v === undefined || (typeof v === 'number' && !Number.isFinite(v)) ? ({ '#': String(v) } satisfies Marked) : v,
  )

export const decodeWire = (text: string): unknown => revive(JSON.parse(text))

/**
 * Replaces encoded `undefined`, `Infinity` and `NaN` in parsed JSON. A reviver of `JSON.parse` cannot: returning `undefined` removes the
 * property.
 */
function revive(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(revive)
  if (isMarked(value)) return value['#'] === 'undefined' ? undefined : Number(value['#'])
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, revive(inner)]))
}

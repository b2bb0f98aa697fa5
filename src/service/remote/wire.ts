/**
 * JSON that keeps what RPC keeps and JSON does not: a PSNR may be Infinity (JSON: null), and `claim(1, 'whole', undefined)` must
 * not become `claim(1, 'whole', null)`, which asks for a part that no task has.
 */
type Marked = { readonly '#': string }

const isMarked = (value: unknown): value is Marked => typeof value === 'object' && value !== null && '#' in value

/** `value` may hold no object with a key `#` of its own: what is sent are claims, receipts and plans. */
export const encode = (value: unknown): string =>
  JSON.stringify(value, (_, v: unknown) =>
    v === undefined || (typeof v === 'number' && !Number.isFinite(v)) ? ({ '#': String(v) } satisfies Marked) : v,
  )

export const decode = (text: string): unknown => revive(JSON.parse(text))

/** Not as a reviver of `JSON.parse`: that takes `undefined` for "leave it out". */
function revive(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(revive)
  if (isMarked(value)) return value['#'] === 'undefined' ? undefined : Number(value['#'])
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, revive(inner)]))
}

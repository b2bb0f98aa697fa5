import { createHash } from 'node:crypto'

/** Name with its number in the order of creation. */
export interface Ordered {
  readonly name: string
  readonly order: number
}

/** Returns a text for the order of names, with their digest. `undefined`: fewer than two names have no order. */
export function orderText(what: string, named: readonly Ordered[]): string | undefined {
  if (named.length < 2) return undefined
  const hash = createHash('sha256')
  for (const { name } of named.toSorted((a, b) => a.order - b.order)) hash.update(`${name}\0`)
  return `${what} in order #${hash.digest('hex').slice(0, 16)}`
}

import { Digest } from '../digest.ts'

/** Name with its number in the order of creation. */
export interface Ordered {
  readonly name: string
  readonly order: number
}

/** Returns a text for the order of names, with their digest. `undefined`: fewer than two names have no order. */
export function orderText(what: string, named: readonly Ordered[]): string | undefined {
  if (named.length < 2) return undefined
  const digest = new Digest()
  for (const { name } of named.toSorted((a, b) => a.order - b.order)) digest.update(`${name}\0`)
  return `${what} in order #${digest.finish()}`
}

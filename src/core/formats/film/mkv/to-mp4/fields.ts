/** Values of Matroska elements in memory. */
import { type Child, type Content, childrenOf, numberIn } from '../content.ts'

/** First child of each identifier. */
export type Fields = ReadonlyMap<number, Child>

export function childFields(content: Content, parent: Pick<Child, 'bodyAt' | 'end'>): Fields {
  const fields = new Map<number, Child>()
  for (const child of childrenOf(content, parent.bodyAt, parent.end)) if (!fields.has(child.id)) fields.set(child.id, child)
  return fields
}

/** Unsigned number. `undefined`: no such element. */
export const wholeIn = (content: Content, child: Child | undefined): number | undefined => child && numberIn(content, child)

/** Signed number, rounded above 2^53. */
export function signedIn({ bytes }: Content, { bodyAt, end }: Child): number {
  let value = 0n
  for (const byte of bytes.subarray(bodyAt, Math.min(end, bodyAt + 8))) value = (value << 8n) | BigInt(byte)
  return Number(BigInt.asIntN(8 * Math.min(8, end - bodyAt), value))
}

/** Number with a fraction, of 4 or 8 bytes. Other lengths: 0. `undefined`: no such element. */
export function fractionIn({ bytes }: Content, child: Child | undefined): number | undefined {
  if (!child) return undefined
  const data = new DataView(bytes.buffer, bytes.byteOffset + child.bodyAt, child.end - child.bodyAt)
  return data.byteLength === 8 ? data.getFloat64(0) : data.byteLength === 4 ? data.getFloat32(0) : 0
}

/** Text without the zeros at its end. `undefined`: no such element. */
export const textIn = ({ bytes }: Content, child: Child | undefined): string | undefined =>
  child && new TextDecoder().decode(bytes.subarray(child.bodyAt, child.end)).replace(/\0+$/, '')

/** Copy of the bytes. Empty: no such element. */
export const bytesIn = ({ bytes }: Content, child: Child | undefined): Uint8Array =>
  child ? bytes.slice(child.bodyAt, child.end) : new Uint8Array()

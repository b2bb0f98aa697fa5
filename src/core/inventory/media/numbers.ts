/** Reads numbers and names from bytes. Bytes behind the end count as 0, because files cut in the middle of a field must not fail here. */
import { latin1Of } from '../../bytes/latin1.ts'

export const be16 = (b: Uint8Array, at: number): number => ((b[at] ?? 0) << 8) | (b[at + 1] ?? 0)
export const be24 = (b: Uint8Array, at: number): number => be16(b, at) * 256 + (b[at + 2] ?? 0)
export const be32 = (b: Uint8Array, at: number): number => be16(b, at) * 65536 + be16(b, at + 2)
export const be64 = (b: Uint8Array, at: number): number => be32(b, at) * 2 ** 32 + be32(b, at + 4)
/** Signed 32-bit number. */
export const beI32 = (b: Uint8Array, at: number): number => be32(b, at) | 0
/** Signed 64-bit number, rounded above 2^53. */
export const beI64 = (b: Uint8Array, at: number): number => beI32(b, at) * 2 ** 32 + be32(b, at + 4)
export const le16 = (b: Uint8Array, at: number): number => (b[at] ?? 0) | ((b[at + 1] ?? 0) << 8)
export const le32 = (b: Uint8Array, at: number): number => le16(b, at) + le16(b, at + 2) * 65536
export const le64 = (b: Uint8Array, at: number): number => le32(b, at) + le32(b, at + 4) * 2 ** 32

/** Returns `length` characters at `at`, one a byte. */
export const nameAt = (b: Uint8Array, at: number, length = 4): string => latin1Of(b.subarray(at, at + length))

/** Returns the text of `bytes` as UTF-8, or as Latin-1 if it is not UTF-8. Zeros at the end are dropped. */
export function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes).replace(/\0+$/, '')
  } catch {
    return latin1Of(bytes).replace(/\0+$/, '')
  }
}

/** Returns seconds with one decimal, the precision that inventories use for times. */
export const seconds = (value: number): string => value.toFixed(1)

import { digestOf } from '../digest.ts'
import type { FileView } from '../file-view.ts'

/** Bytes of content that are read completely. Of longer content, both ends are read, so that a film costs few reads. */
const MAX_DIGESTED_BYTES = 4 * 1024 * 1024
const END_BYTES = 64 * 1024

/** Returns the text `<n> bytes #<digest>` for a range of the file. Of more than 4 MiB, the digest covers the first and last 64 KiB. */
export async function digestOfRange(view: FileView, at: number, length: number): Promise<string> {
  if (length <= MAX_DIGESTED_BYTES) return `${length} bytes #${digestOf(await view.bytes(at, length))}`
  const first = digestOf(await view.bytes(at, END_BYTES))
  return `${length} bytes #${first} #${digestOf(await view.bytes(at + length - END_BYTES, END_BYTES))}`
}

/** Returns the text `<n> bytes #<digest>` for bytes in memory. */
export const digestText = (bytes: Uint8Array): string => `${bytes.length} bytes #${digestOf(bytes)}`

/** True if all bytes of a range are zero. */
export async function isZero(view: FileView, at: number, end: number): Promise<boolean> {
  for await (const chunk of view.chunks(at, Math.max(0, end - at))) if (chunk.some((byte) => byte !== 0)) return false
  return true
}

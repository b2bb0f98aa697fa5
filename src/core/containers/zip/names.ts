import { FLAG_UTF8 } from './records.ts'

/**
 * A name for looking at. Marked as UTF-8 or valid UTF-8: that. Else GB 18030, which is what Chinese archivers write and
 * has ASCII in it; the raw bytes are what is written back, so a wrong guess harms nothing but the look.
 */
export function decodeName(rawName: Uint8Array, flags: number): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(rawName)
  } catch {
    if (flags & FLAG_UTF8) return new TextDecoder('utf-8').decode(rawName)
  }
  return new TextDecoder('gb18030').decode(rawName)
}

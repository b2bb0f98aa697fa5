import { FLAG_UTF8 } from './records.ts'

/**
 * Decodes a file name as UTF-8 if it is marked as UTF-8 or is valid UTF-8. Otherwise as GB 18030, which Chinese archivers write and which
 * includes ASCII.
 * Whittle writes the raw bytes back, so a wrong guess only affects messages.
 */
export function decodeName(rawName: Uint8Array, flags: number): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(rawName)
  } catch {
    if (flags & FLAG_UTF8) return new TextDecoder('utf-8').decode(rawName)
  }
  return new TextDecoder('gb18030').decode(rawName)
}

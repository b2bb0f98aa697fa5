/** Languages of tracks. */
import { macintoshLanguage } from '../../catalog/macintosh-languages.ts'

/** Codes from here on hold three letters of five bits each (ISO/IEC 14496-12, 8.4.2). */
const FIRST_PACKED = 0x400
const UNSPECIFIED = 0x7fff

/** Returns the language of an `mdhd` box. `undefined`: none, or undetermined. */
export function languageOf(code: number): string | undefined {
  if (code < FIRST_PACKED) return macintoshLanguage(code)
  if (code === UNSPECIFIED) return undefined
  const letters = [10, 5, 0].map((shift) => String.fromCharCode(0x60 + ((code >> shift) & 31))).join('')
  return letters === 'und' ? undefined : letters
}

/** Verifies fonts that lost glyphs, and the streams that map character codes. */
import { hasOutlineTable } from '../../../fonts/sfnt/opentype.ts'
import { cffDifference, compactDifference, trueTypeDifference } from '../../../fonts/subset-difference.ts'
import type { Reader } from '../reader.ts'
import { MAX_DECODED_BYTES } from '../recompress.ts'
import type { StreamVerifier } from '../verify.ts'
import { shownGlyphDifference } from './merge.ts'
import type { FontUsage } from './shown.ts'
import { toUnicodeDifference } from './to-unicode.ts'

/**
 * Returns the verification of font programs. `scanUsage` scans which text the original shows with each font; it is called only for merged
 * programs.
 */
export function fontVerifier(a: Reader, b: Reader, scanUsage: () => Promise<FontUsage | undefined>): StreamVerifier {
  return async ({ key, number, original, result }) => {
    const [before, after] = [await a.decoded(original, MAX_DECODED_BYTES), await b.decoded(result, MAX_DECODED_BYTES)]
    try {
      const wrong = differenceOf(key, before)(before, after)
      if (!wrong) return undefined
      // The program is not a subset of the original, so it may be a merged one. Every glyph that is shown must then be equal.
      const usage = await scanUsage()
      const program = usage?.unsafeReason === '' ? usage.programs.get(number) : undefined
      return program ? await shownGlyphDifference(a, program, before, after) : wrong
    } catch (error) {
      if (error instanceof RangeError) return `the font is not readable (${error.message})`
      throw error
    }
  }
}

function differenceOf(key: string, before: Uint8Array) {
  if (key === 'FontFile') return compactDifference
  return key === 'FontFile2' || hasOutlineTable(before) ? trueTypeDifference : cffDifference
}

export function toUnicodeVerifier(a: Reader, b: Reader): StreamVerifier {
  return async ({ original, result }) =>
    toUnicodeDifference(await a.decoded(original, MAX_DECODED_BYTES), await b.decoded(result, MAX_DECODED_BYTES))
}

/** Returns the verification of CIDToGIDMap streams. Entries may be removed; the remaining entries must be equal. */
export function glyphMapVerifier(a: Reader, b: Reader): StreamVerifier {
  return async ({ original, result }) => {
    const [before, after] = [await a.decoded(original, MAX_DECODED_BYTES), await b.decoded(result, MAX_DECODED_BYTES)]
    if (after.length > before.length) return 'the CIDToGIDMap became longer'
    for (let i = 0; i + 1 < after.length; i += 2) {
      const glyph = after[i]! * 256 + after[i + 1]!
      if (glyph !== 0 && glyph !== before[i]! * 256 + before[i + 1]!) return `the glyph of CID ${i / 2} changed`
    }
    return undefined
  }
}

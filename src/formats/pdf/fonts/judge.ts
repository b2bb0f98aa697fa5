/**
 * Looks at fonts that lost glyphs: every outline that is left is byte for byte that of the original,
 * with the same width.
 */

import { FontView } from '../../../containers/sfnt/bytes.ts'
import { Outlines, type Tables, tablesOf } from '../../../containers/sfnt/truetype.ts'
import type { Reader } from '../reader.ts'
import { MAX_DECODED_BYTES } from '../recompress.ts'
import type { Judge } from '../verify.ts'
import { Cff } from './cff.ts'
import { toUnicodeDifference } from './to-unicode.ts'
import { type1Outline } from './type1/charstring.ts'
import { sameDrawing } from './type1/outline.ts'
import { parseType1 } from './type1/program.ts'
import { type2Outline } from './type1/type2-outline.ts'

const EMPTY_CHARSTRING = 14

export function fontJudge(a: Reader, b: Reader): Judge {
  return async ({ key, original, result }) => {
    const [before, after] = [await a.decoded(original, MAX_DECODED_BYTES), await b.decoded(result, MAX_DECODED_BYTES)]
    try {
      if (key === 'FontFile') return type1Difference(before, after)
      return key === 'FontFile2' ? trueTypeDifference(before, after) : cffDifference(before, after)
    } catch (error) {
      if (error instanceof RangeError) return `unreadable font (${error.message})`
      throw error
    }
  }
}

export function toUnicodeJudge(a: Reader, b: Reader): Judge {
  return async ({ original, result }) =>
    toUnicodeDifference(await a.decoded(original, MAX_DECODED_BYTES), await b.decoded(result, MAX_DECODED_BYTES))
}

/** A CIDToGIDMap that lost entries: those that are left are as they were. */
export function glyphMapJudge(a: Reader, b: Reader): Judge {
  return async ({ original, result }) => {
    const [before, after] = [await a.decoded(original, MAX_DECODED_BYTES), await b.decoded(result, MAX_DECODED_BYTES)]
    if (after.length > before.length) return 'a longer glyph map'
    for (let i = 0; i + 1 < after.length; i += 2) {
      const glyph = after[i]! * 256 + after[i + 1]!
      if (glyph !== 0 && glyph !== before[i]! * 256 + before[i + 1]!) return `glyph of CID ${i / 2}`
    }
    return undefined
  }
}

function trueTypeDifference(before: Uint8Array, after: Uint8Array): string | undefined {
  const [old, fresh] = [tablesOf(before), tablesOf(after)]
  if (!old || !fresh) return 'no TrueType font'
  const [from, to] = [new Outlines(old), new Outlines(fresh)]
  let kept = 0
  for (let glyph = 0; glyph < to.count; glyph++) {
    const outline = to.of(glyph)
    if (outline.length === 0) continue
    const expected = from.of(glyph)
    // The new outline may be padded to four bytes.
    if (expected.length === 0 || outline.length - expected.length > 3 || outline.length < expected.length) return `outline ${glyph}`
    if (Buffer.compare(outline.subarray(0, expected.length), expected) !== 0) return `outline ${glyph}`
    if (metricOf(old, glyph) !== metricOf(fresh, glyph)) return `width or side bearing of glyph ${glyph}`
    kept++
  }
  return kept > 0 || from.of(0).length === 0 ? undefined : 'no outlines left'
}

/** Advance width and left side bearing (`hmtx`), as one word. */
function metricOf(tables: Tables, glyph: number): string {
  const [hhea, hmtx] = [tables.get('hhea'), tables.get('hmtx')]
  if (!hhea || !hmtx) throw new RangeError('no metrics')
  const full = Math.max(1, new FontView(hhea).u16(34))
  const view = new FontView(hmtx)
  const at = (offset: number) => (offset + 2 <= hmtx.length ? view.u16(offset) : 0)
  return glyph < full ? `${at(glyph * 4)} ${at(glyph * 4 + 2)}` : `${at((full - 1) * 4)} ${at(full * 4 + (glyph - full) * 2)}`
}

function cffDifference(before: Uint8Array, after: Uint8Array): string | undefined {
  const [old, fresh] = [new Cff(before), new Cff(after)]
  if (old.cidKeyed !== fresh.cidKeyed) return 'another kind of font'
  for (let glyph = 0; glyph < fresh.count; glyph++) {
    const charstring = fresh.charstrings[glyph]!
    if (charstring.length === 1 && charstring[0] === EMPTY_CHARSTRING) continue
    const id = fresh.charset[glyph]!
    const from = fresh.cidKeyed ? old.glyphOfCid(id) : glyph === 0 ? 0 : old.glyphOfName(fresh.stringOf(id))
    const expected = from >= 0 ? old.charstrings[from] : undefined
    if (!expected || Buffer.compare(charstring, expected) !== 0) return `outline ${glyph}`
  }
  // Subroutines are called by number: each must still be where it was.
  return sameSubroutines(old, fresh)
}

/** Half of what a coordinate in a charstring can say. */
const OUTLINE_TOLERANCE = 1 / 100

/** A Type 1 program that became CFF: each outline and width as before, each code and matrix, too. */
function type1Difference(before: Uint8Array, after: Uint8Array): string | undefined {
  const [old, fresh] = [parseType1(before), new Cff(after)]
  const nameOf = (glyph: number) => (glyph === 0 ? '.notdef' : fresh.stringOf(fresh.charset[glyph]!))
  const widths = fresh.privates[0]?.entries
  const [usual, nominal] = [widths?.get(20)?.values[0] ?? 0, widths?.get(21)?.values[0] ?? 0]
  for (let glyph = 0; glyph < fresh.count; glyph++) {
    const name = nameOf(glyph)
    const charstring = old.charstrings.get(name)
    if (!charstring) return `a glyph ${name} that was not there`
    const [a, b] = [type1Outline(old, charstring), type2Outline(fresh.charstrings[glyph]!)]
    if (!sameDrawing(a.steps, b.steps, OUTLINE_TOLERANCE)) return `outline ${name}`
    const width = b.width === undefined ? usual : b.width + nominal
    if (!(Math.abs(width - a.width) <= OUTLINE_TOLERANCE)) return `width of ${name}`
    if (JSON.stringify(Object.entries(a.accent ?? {}).sort()) !== JSON.stringify(Object.entries(b.accent ?? {}).sort()))
      return `parts of ${name}`
  }
  const encoding = fresh.encoding()
  for (const [code, name] of old.encoding) {
    const glyph = fresh.glyphOfName(name)
    if (glyph > 0 && encoding.get(code) !== glyph) return `code ${code}`
  }
  for (const [code, glyph] of encoding) if (old.encoding.get(code) !== nameOf(glyph)) return `code ${code}`
  const matrix = old.top.get('FontMatrix') ?? []
  return fresh.top.has(1207) === matrix.some((value, i) => value !== [0.001, 0, 0, 0.001, 0, 0][i]) ? undefined : 'font matrix'
}

const RETURN = 11

function sameSubroutines(old: Cff, fresh: Cff): string | undefined {
  const lists: [Uint8Array[], Uint8Array[]][] = [[old.globalSubrs, fresh.globalSubrs]]
  for (const [i, dict] of fresh.privates.entries()) lists.push([old.privates[i]?.subrs ?? [], dict.subrs])
  for (const [from, to] of lists) {
    const wrong = to.findIndex(
      (subroutine, i) =>
        !(subroutine.length === 1 && subroutine[0] === RETURN) && Buffer.compare(subroutine, from[i] ?? new Uint8Array(0)) !== 0,
    )
    if (wrong >= 0) return `subroutine ${wrong}`
  }
  return undefined
}

/** Verifies subset fonts: each kept outline is byte for byte that of the original, with the same width. */
import { equalBytes } from '../bytes/equal.ts'
import { Cff } from './cff/font.ts'
import { cffOf } from './sfnt/opentype.ts'
import { metricOf, Outlines, readFontTables } from './sfnt/truetype.ts'
import { type1Outline } from './type1/charstring-outline.ts'
import { parseType1 } from './type1/program.ts'
import { glyphDifference, hasSameMatrix } from './union/type1.ts'

const EMPTY_CHARSTRING = 14

/** Returns why the TrueType font `after` is not a subset of `before`; `undefined` if it is. */
export function trueTypeDifference(before: Uint8Array, after: Uint8Array): string | undefined {
  const [old, fresh] = [readFontTables(before), readFontTables(after)]
  if (!old || !fresh) return 'not a TrueType font'
  const [from, to] = [new Outlines(old), new Outlines(fresh)]
  let kept = 0
  for (let glyph = 0; glyph < to.count; glyph++) {
    const outline = to.of(glyph)
    if (outline.length === 0) continue
    const expected = from.of(glyph)
    // The new outline may be padded to four bytes.
    if (expected.length === 0 || outline.length - expected.length > 3 || outline.length < expected.length)
      return `outline of glyph ${glyph} differs`
    if (!equalBytes(outline.subarray(0, expected.length), expected)) return `outline of glyph ${glyph} differs`
    if (String(metricOf(old, glyph)) !== String(metricOf(fresh, glyph))) return `width or side bearing of glyph ${glyph} differs`
    kept++
  }
  return kept > 0 || from.of(0).length === 0 ? undefined : 'no outlines left'
}

/** Returns why the CFF font `after` is not a subset of `before` (bare CFF or OpenType); `undefined` if it is. */
export function cffDifference(before: Uint8Array, after: Uint8Array): string | undefined {
  const [old, fresh] = [new Cff(cffOf(before)), new Cff(after)]
  if (old.cidKeyed !== fresh.cidKeyed) return 'one font is CID-keyed, the other is not'
  for (let glyph = 0; glyph < fresh.count; glyph++) {
    const charstring = fresh.charstrings[glyph]!
    if (charstring.length === 1 && charstring[0] === EMPTY_CHARSTRING) continue
    const id = fresh.charset[glyph]!
    const from = fresh.cidKeyed ? old.glyphOfCid(id) : glyph === 0 ? 0 : old.glyphOfName(fresh.stringOf(id))
    const expected = from >= 0 ? old.charstrings[from] : undefined
    if (!expected || !equalBytes(charstring, expected)) return `outline of glyph ${glyph} differs`
  }
  // Charstrings call subroutines by number, so each subroutine must keep its number.
  return sameSubroutines(old, fresh)
}

/**
 * Returns why the CFF font `after` does not draw the same as the Type 1 program `before` (outlines, widths, codes, matrix); `undefined` if
 * it does.
 */
export function compactDifference(before: Uint8Array, after: Uint8Array): string | undefined {
  const [old, fresh] = [parseType1(before), new Cff(after)]
  const nameOf = (glyph: number) => (glyph === 0 ? '.notdef' : fresh.stringOf(fresh.charset[glyph]!))
  for (let glyph = 0; glyph < fresh.count; glyph++) {
    const name = nameOf(glyph)
    const charstring = old.charstrings.get(name)
    if (!charstring) return `glyph ${name} was added`
    const wrong = glyphDifference(name, type1Outline(old, charstring), fresh)
    if (wrong) return wrong
  }
  const encoding = fresh.encoding()
  for (const [code, name] of old.encoding) {
    const glyph = fresh.glyphOfName(name)
    if (glyph > 0 && encoding.get(code) !== glyph) return `code ${code} maps to another glyph`
  }
  for (const [code, glyph] of encoding) if (old.encoding.get(code) !== nameOf(glyph)) return `code ${code} maps to another glyph`
  return hasSameMatrix(old, fresh) ? undefined : 'FontMatrix differs'
}

const RETURN = 11

function sameSubroutines(old: Cff, fresh: Cff): string | undefined {
  const lists: [Uint8Array[], Uint8Array[]][] = [[old.globalSubrs, fresh.globalSubrs]]
  for (const [i, dict] of fresh.privates.entries()) lists.push([old.privates[i]?.subrs ?? [], dict.subrs])
  for (const [from, to] of lists) {
    const wrong = to.findIndex(
      (subroutine, i) => !(subroutine.length === 1 && subroutine[0] === RETURN) && !equalBytes(subroutine, from[i] ?? new Uint8Array(0)),
    )
    if (wrong >= 0) return `subroutine ${wrong} differs`
  }
  return undefined
}

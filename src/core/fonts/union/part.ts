/**
 * The part of a font program that a document shows, and unions of such parts.
 * Subsets of one font can be merged if no reader can notice: their common glyphs are equal, and so are the results of all lookups.
 */
import { equalBytes } from '../../bytes/equal.ts'
import type { GlyphLookups } from '../code-glyphs.ts'
import { MAX_UNION_BYTES } from '../tuning.ts'

export interface FontPart {
  /** Properties of all glyphs (scale, hinting data, kind of encoding) as text. Equal in all parts of a union. */
  commonProperties: string
  /** Glyphs by number, CID or name. The value has all data that affects drawing and width. */
  glyphs: ReadonlyMap<string, Uint8Array>
  lookups: Readonly<GlyphLookups>
  /** Bytes of a file with only these glyphs. */
  bytes: number
}

/** Returns the first glyph or lookup that differs; `undefined` if none does. Ignores glyphs and lookups that only one part has. */
function partConflict(a: FontPart, b: FontPart): string | undefined {
  if (a.commonProperties !== b.commonProperties) return 'scale, hinting data or kind of encoding differ'
  for (const [glyph, bytes] of b.glyphs) {
    const other = a.glyphs.get(glyph)
    if (other && !equalBytes(other, bytes)) return `glyph ${glyph} differs`
  }
  for (const [question, answer] of b.lookups) if ((a.lookups.get(question) ?? answer) !== answer) return `lookup ${question} differs`
  return undefined
}

/** Returns why `after` must not replace `before`; `undefined` if it may. `after` must have all its glyphs and lookups. */
export function partDifference(before: FontPart, after: FontPart): string | undefined {
  const wrong = partConflict(after, before)
  if (wrong) return wrong
  for (const glyph of before.glyphs.keys()) if (!after.glyphs.has(glyph)) return `glyph ${glyph} is missing`
  for (const question of before.lookups.keys()) if (!after.lookups.has(question)) return `lookup ${question} is missing`
  return undefined
}

/** Parts without contradictions, merged one after the other. */
export class FontUnion<P extends FontPart> implements FontPart {
  readonly commonProperties: string
  readonly glyphs = new Map<string, Uint8Array>()
  readonly lookups: GlyphLookups = new Map()
  readonly first: P
  /** Parts by PDF object number. */
  readonly parts = new Map<number, P>()
  bytes = 0

  constructor(first: P) {
    this.first = first
    this.commonProperties = first.commonProperties
  }

  /** Adds a part. Returns false and changes nothing if it contradicts the union. */
  add(number: number, part: P): boolean {
    if (this.bytes > MAX_UNION_BYTES || partConflict(this, part)) return false
    for (const [glyph, bytes] of part.glyphs) {
      if (this.glyphs.has(glyph)) continue
      this.glyphs.set(glyph, bytes)
      this.bytes += bytes.length
    }
    for (const [question, answer] of part.lookups) this.lookups.set(question, answer)
    this.parts.set(number, part)
    return true
  }
}

/**
 * The part of a font program that a document shows, and unions of such parts.
 * Subsets of one font can be merged if no reader can notice: their common glyphs are equal, and so are the results of all lookups.
 */
import type { Answers } from '../code-glyphs.ts'
import { MAX_UNION_BYTES } from '../tuning.ts'

export interface Part {
  /** Properties of all glyphs (scale, hinting data, kind of encoding) as text. Equal in all parts of a union. */
  essentials: string
  /** Glyphs by number, CID or name. The value has all data that affects drawing and width. */
  glyphs: ReadonlyMap<string, Uint8Array>
  answers: Readonly<Answers>
  /** Bytes of a file with only these glyphs. */
  bytes: number
}

/** Returns the first glyph or lookup that differs; `undefined` if none does. Ignores glyphs and lookups that only one part has. */
export function contradiction(a: Part, b: Part): string | undefined {
  if (a.essentials !== b.essentials) return 'scale, hinting data or kind of encoding differ'
  for (const [glyph, bytes] of b.glyphs) {
    const other = a.glyphs.get(glyph)
    if (other && Buffer.compare(other, bytes) !== 0) return `glyph ${glyph} differs`
  }
  for (const [question, answer] of b.answers) if ((a.answers.get(question) ?? answer) !== answer) return `lookup ${question} differs`
  return undefined
}

/** Returns why `after` must not replace `before`; `undefined` if it may. `after` must have all its glyphs and lookups. */
export function partDifference(before: Part, after: Part): string | undefined {
  const wrong = contradiction(after, before)
  if (wrong) return wrong
  for (const glyph of before.glyphs.keys()) if (!after.glyphs.has(glyph)) return `glyph ${glyph} is missing`
  for (const question of before.answers.keys()) if (!after.answers.has(question)) return `lookup ${question} is missing`
  return undefined
}

/** Parts without contradictions, merged one after the other. */
export class Union<P extends Part> implements Part {
  readonly essentials: string
  readonly glyphs = new Map<string, Uint8Array>()
  readonly answers: Answers = new Map()
  readonly first: P
  /** Parts by PDF object number. */
  readonly parts = new Map<number, P>()
  bytes = 0

  constructor(first: P) {
    this.first = first
    this.essentials = first.essentials
  }

  /** Adds a part. Returns false and changes nothing if it contradicts the union. */
  add(number: number, part: P): boolean {
    if (this.bytes > MAX_UNION_BYTES || contradiction(this, part)) return false
    for (const [glyph, bytes] of part.glyphs) {
      if (this.glyphs.has(glyph)) continue
      this.glyphs.set(glyph, bytes)
      this.bytes += bytes.length
    }
    for (const [question, answer] of part.answers) this.answers.set(question, answer)
    this.parts.set(number, part)
    return true
  }
}

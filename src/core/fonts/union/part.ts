/**
 * A font program as far as a document shows it, and unions of several. Programs of different subsets of one font may become
 * one where no reader could tell: the glyphs both have are equal, and so is every answer to what a reader may ask.
 */
import type { Answers } from '../code-glyphs.ts'

export interface Part {
  /** What counts for all glyphs (scale, hinting data, kind of encoding), as text: equal in all parts of a union. */
  essentials: string
  /** Glyph (number, CID or name) → all that its drawing and width depend on. */
  glyphs: ReadonlyMap<string, Uint8Array>
  answers: Readonly<Answers>
  /** Length of a file that has these glyphs and no others. */
  bytes: number
}

/** The first glyph or answer that differs, undefined where nothing does. What only one of them has counts for nothing. */
export function contradiction(a: Part, b: Part): string | undefined {
  if (a.essentials !== b.essentials) return 'another font'
  for (const [glyph, bytes] of b.glyphs) {
    const other = a.glyphs.get(glyph)
    if (other && Buffer.compare(other, bytes) !== 0) return `glyph ${glyph}`
  }
  for (const [question, answer] of b.answers) if ((a.answers.get(question) ?? answer) !== answer) return `answer to ${question}`
  return undefined
}

/** Why `after` cannot stand for `before`: it must have every glyph of it and give every answer. */
export function partDifference(before: Part, after: Part): string | undefined {
  const wrong = contradiction(after, before)
  if (wrong) return wrong
  for (const glyph of before.glyphs.keys()) if (!after.glyphs.has(glyph)) return `glyph ${glyph} is gone`
  for (const question of before.answers.keys()) if (!after.answers.has(question)) return `no answer to ${question}`
  return undefined
}

/** Glyphs of a union in memory. */
const MOST_UNION_BYTES = 4 * 1024 * 1024

/** Parts that agree, one after the other. */
export class Union<P extends Part> implements Part {
  readonly essentials: string
  readonly glyphs = new Map<string, Uint8Array>()
  readonly answers: Answers = new Map()
  readonly first: P
  /** By object number. */
  readonly parts = new Map<number, P>()
  bytes = 0

  constructor(first: P) {
    this.first = first
    this.essentials = first.essentials
  }

  /** False, and nothing happened, where the part says something else. */
  add(number: number, part: P): boolean {
    if (this.bytes > MOST_UNION_BYTES || contradiction(this, part)) return false
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

/** Finds glyphs that others may be replaced by: the substitution table of OpenType (GSUB, ISO/IEC 14496-22, 6.3.4). */
import { FontView } from '../bytes.ts'
import { MAX_SUBSTITUTION_ROUNDS, MAX_SUBSTITUTION_STEPS } from '../tuning.ts'

/**
 * Returns `glyphs` and all glyphs that substitutions can produce, in any feature or context.
 * Contextual lookups (types 5 and 6) only apply other lookups of the same list, which are always applied here.
 * @throws RangeError if the table is damaged, unsupported or exceeds the limits
 */
export function withSubstitutes(gsub: Uint8Array | undefined, glyphs: ReadonlySet<number>): Set<number> {
  const found = new Set(glyphs)
  if (!gsub) return found
  const lookups = new Substitutions(gsub)
  for (let round = 0; ; round++) {
    if (round === MAX_SUBSTITUTION_ROUNDS) throw new RangeError(`GSUB: more than ${MAX_SUBSTITUTION_ROUNDS} rounds of substitutions`)
    const before = found.size
    lookups.apply(found)
    if (found.size === before) return found
  }
}

class Substitutions {
  private readonly view: FontView
  private steps = 0

  constructor(gsub: Uint8Array) {
    this.view = new FontView(gsub)
    if (this.view.u16(0) !== 1) throw new RangeError('GSUB: unsupported version')
  }

  /** Applies all GSUB lookups to `glyphs` once. */
  apply(glyphs: Set<number>): void {
    const list = this.view.u16(8)
    for (const lookup of this.offsets(list, list)) {
      const type = this.view.u16(lookup)
      for (const subtable of this.offsets(lookup + 4, lookup)) this.subtable(type, subtable, glyphs)
    }
  }

  /** Yields the offsets of an array of 16-bit offsets that starts with its length. */
  private *offsets(at: number, base: number): Generator<number> {
    const count = this.view.u16(at)
    for (let index = 0; index < count; index++) {
      this.step()
      yield base + this.view.u16(at + 2 + 2 * index)
    }
  }

  private subtable(type: number, at: number, glyphs: Set<number>): void {
    const format = this.view.u16(at)
    // Lookup types 5 and 6 are contexts, which refer to other lookups of the list.
    if (type === 5 || type === 6) return
    if (type === 7) {
      const real = this.view.u16(at + 2)
      if (real === 7) throw new RangeError('GSUB: nested extension lookup')
      this.subtable(real, at + this.view.u32(at + 4), glyphs)
      return
    }
    if (type === 8) {
      const lookahead = at + 6 + 2 * this.view.u16(at + 4)
      this.each(at, glyphs, (index) => glyphs.add(this.listed(lookahead + 2 + 2 * this.view.u16(lookahead), index)))
      return
    }
    if (type === 1 && format === 1) {
      const delta = this.view.i16(at + 4)
      this.each(at, glyphs, (_, glyph) => glyphs.add((glyph + delta) & 0xffff))
      return
    }
    if (type === 1 && format === 2) {
      this.each(at, glyphs, (index) => glyphs.add(this.listed(at + 4, index)))
      return
    }
    if (format !== 1 || type < 1 || type > 4) throw new RangeError(`GSUB: unsupported lookup type ${type}, format ${format}`)
    this.each(at, glyphs, (index) => {
      const set = at + this.listed(at + 4, index)
      if (type === 4) for (const ligature of this.offsets(set, set)) this.ligature(ligature, glyphs)
      else {
        // Type 2 replaces one glyph by a sequence, type 3 by one of several alternatives.
        const count = this.view.u16(set)
        for (let place = 0; place < count; place++) glyphs.add(this.listed(set, place))
      }
    })
  }

  private ligature(at: number, glyphs: Set<number>): void {
    const count = this.view.u16(at + 2)
    for (let index = 0; index < count - 1; index++) {
      this.step()
      if (!glyphs.has(this.view.u16(at + 4 + 2 * index))) return
    }
    glyphs.add(this.view.u16(at))
  }

  /** Returns an element of an array of 16-bit numbers that starts with its length. */
  private listed(at: number, index: number): number {
    this.step()
    if (index >= this.view.u16(at)) throw new RangeError(`GSUB: index ${index} exceeds its list`)
    return this.view.u16(at + 2 + 2 * index)
  }

  /** Calls `use` for each of `glyphs` that the subtable covers (ISO/IEC 14496-22, 6.2.5), with its coverage index. */
  private each(at: number, glyphs: ReadonlySet<number>, use: (index: number, glyph: number) => void): void {
    const coverage = at + this.view.u16(at + 2)
    const format = this.view.u16(coverage)
    const count = this.view.u16(coverage + 2)
    if (format === 1) {
      for (let index = 0; index < count; index++) {
        this.step()
        const glyph = this.view.u16(coverage + 4 + 2 * index)
        if (glyphs.has(glyph)) use(index, glyph)
      }
      return
    }
    if (format !== 2) throw new RangeError(`GSUB: unsupported coverage format ${format}`)
    for (let range = 0; range < count; range++) {
      const record = coverage + 4 + 6 * range
      const [first, last, index] = [this.view.u16(record), this.view.u16(record + 2), this.view.u16(record + 4)]
      for (let glyph = first; glyph <= last; glyph++) {
        this.step()
        if (glyphs.has(glyph)) use(index + glyph - first, glyph)
      }
    }
  }

  private step(): void {
    if (++this.steps > MAX_SUBSTITUTION_STEPS) throw new RangeError(`GSUB: more than ${MAX_SUBSTITUTION_STEPS} table entries`)
  }
}

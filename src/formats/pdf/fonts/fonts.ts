/** Font programs with only the glyphs that are shown, and their ToUnicode maps with only the codes that are. */
import { zlibCompress } from '../../../bytes/deflate.ts'
import { type Filter, setFilters } from '../filters.ts'
import { Dict, nameOf, Ref, type Stream } from '../objects.ts'
import type { Reader } from '../reader.ts'
import { MAX_DECODED_BYTES, MAX_STORED_BYTES, type Rewritten } from '../recompress.ts'
import { FontView } from './bytes.ts'
import { Cff, OP } from './cff.ts'
import { subsetCff } from './cff-subset.ts'
import { IDENTITY_CMAP } from './cmap.ts'
import { cffGlyphs, trueTypeGlyphs } from './glyphs.ts'
import type { FontProgram, FontShelf } from './shown.ts'
import { pruneToUnicode } from './to-unicode.ts'
import { tablesOf } from './truetype.ts'
import { subsetTrueType } from './truetype-subset.ts'

export class FontShop {
  /** Programs that lost glyphs. */
  subset = 0
  private readonly reader: Reader
  private readonly programs: ReadonlyMap<number, FontProgram>
  /** ToUnicode streams and the codes that are shown, where both are certain. */
  private readonly maps = new Map<number, Set<number>>()

  constructor(reader: Reader, shelf: FontShelf, canonical: (number: number) => number) {
    this.reader = reader
    this.programs = shelf.doubt ? new Map() : shelf.programs
    const shared = new Set<number>()
    for (const font of shelf.doubt ? [] : shelf.all) {
      const reference = font.dict.get('ToUnicode')
      if (!(reference instanceof Ref)) continue
      const number = canonical(reference.number)
      const whole = shelf.programs.get(font.file)?.whole ?? true
      if (whole || font.cmap !== IDENTITY_CMAP) shared.add(number)
      const codes = this.maps.get(number) ?? new Set<number>()
      for (const code of font.codes) codes.add(code)
      this.maps.set(number, codes)
    }
    for (const number of shared) this.maps.delete(number)
  }

  readonly transform = async (number: number, stream: Stream, _chain: Filter[]): Promise<Rewritten | undefined> => {
    const codes = this.maps.get(number)
    const length = await this.reader.length(stream)
    if (length > MAX_STORED_BYTES) return undefined
    if (codes) {
      const text = pruneToUnicode(await this.reader.decoded(stream, MAX_DECODED_BYTES), codes)
      return text && rewritten(stream, text, ['UseCMap'])
    }
    const program = this.programs.get(number)
    if (!program || program.whole) return undefined
    const data = await this.reader.decoded(stream, MAX_DECODED_BYTES)
    const smaller = program.key === 'FontFile2' ? await this.trueType(data, program) : await this.compact(stream, data, program)
    if (!smaller || smaller.length >= data.length) return undefined
    const result = rewritten(stream, smaller, ['Length1', 'Length2', 'Length3'])
    if (program.key === 'FontFile2') result.dict.set('Length1', smaller.length)
    if (result.data.length < length) this.subset++
    return result
  }

  private async trueType(data: Uint8Array, program: FontProgram): Promise<Uint8Array | undefined> {
    const tables = tablesOf(data)
    if (!tables?.has('glyf')) return undefined
    const glyphs = await trueTypeGlyphs(this.reader, tables, program.fonts)
    if (!glyphs) return undefined
    const simple = program.fonts.some((font) => font.kind !== 'cid')
    return subsetTrueType(tables, new FontView(data).u32(0), glyphs, simple)
  }

  /** Bare CFF in /FontFile3 (9.9.1, table 124). */
  private async compact(stream: Stream, data: Uint8Array, program: FontProgram): Promise<Uint8Array | undefined> {
    const subtype = nameOf(stream.dict.get('Subtype'))
    if (program.key !== 'FontFile3' || (subtype !== 'Type1C' && subtype !== 'CIDFontType0C')) return undefined
    const cff = new Cff(data)
    // The expert encoding is not followed.
    if (cff.value(OP.encoding, 0) === 1) return undefined
    const wanted = await cffGlyphs(this.reader, cff, program.fonts)
    return wanted && subsetCff(cff, wanted.glyphs, wanted.keepNumbers)
  }
}

function rewritten(stream: Stream, data: Uint8Array, obsolete: readonly string[]): Rewritten {
  const dict = new Dict(stream.dict)
  for (const key of obsolete) dict.delete(key)
  setFilters(dict, [{ name: 'FlateDecode', parms: null }])
  return { dict, data: zlibCompress(data) }
}

/** Subsets font programs to the glyphs that are shown, and ToUnicode maps to the codes that are shown. */

import { zlibCompress } from '../../../bytes/deflate.ts'
import { FontView } from '../../../fonts/bytes.ts'
import { Cff, OP } from '../../../fonts/cff/font.ts'
import { subsetCff } from '../../../fonts/cff/subset.ts'
import { cffGlyphs, trueTypeGlyphs, type1Names } from '../../../fonts/code-glyphs.ts'
import { hasOutlineTable } from '../../../fonts/sfnt/opentype.ts'
import { subsetTrueType } from '../../../fonts/sfnt/subset.ts'
import { readFontTables } from '../../../fonts/sfnt/truetype.ts'
import { parseType1 } from '../../../fonts/type1/program.ts'
import { convertType1 } from '../../../fonts/type1/to-cff.ts'
import { isCodecError } from '../../../model/error.ts'
import type { Duplicates } from '../duplicates.ts'
import { type Filter, setFilters } from '../filters.ts'
import { Dict, Name, nameOf, type PdfObject, PdfSyntax, Ref, Stream } from '../objects.ts'
import type { Reader } from '../reader.ts'
import { MAX_DECODED_BYTES, MAX_STORED_BYTES, type RewrittenStream } from '../recompress.ts'
import { IDENTITY_CMAP } from './cmap.ts'
import { FontMerge } from './merge.ts'
import { compactSubtype, standaloneCff } from './opentype.ts'
import { type FontProgram, type FontUsage, listsGlyphs } from './shown.ts'
import { isTagged, namesOf, SubsetTags } from './tags.ts'
import { pruneToUnicode } from './to-unicode.ts'
import { fontUses } from './uses.ts'

/** Maximum total size in bytes of converted font programs that are kept in memory until they are written. */
const MAX_COMPACTED_BYTES = 4 * 1024 * 1024
/** Maximum size of a CIDToGIDMap in bytes. The standard needs two bytes for each of 65,536 CIDs; some writers add more. */
const MAX_GLYPH_MAP_BYTES = 256 * 1024
const MAX_TYPE1_BYTES = 4 * 1024 * 1024
/** Dictionary bytes that a conversion from Type 1 to CFF adds: /Subtype/Type1C and a longer key. */
const CONVERSION_BYTES = 20

export class FontSubsetter {
  /** Number of font programs from which glyphs were removed. */
  subset = 0
  /** Number of Type 1 programs that were converted to CFF. */
  converted = 0
  /** Number of font programs that were merged into shared ones. */
  merged = 0
  private readonly reader: Reader
  private readonly programs: ReadonlyMap<number, FontProgram>
  /** ToUnicode streams by object number, with the codes that are shown. Only streams whose codes are all known. */
  private readonly maps = new Map<number, Set<number>>()
  /** CIDToGIDMap streams by object number, with the CIDs that are shown. */
  private readonly glyphMaps = new Map<number, Set<number>>()
  /** Object numbers of merged programs, which contain the glyphs of several programs. */
  private readonly unions = new Set<number>()
  /** Replacements of Type 1 programs and merged programs, by object number. */
  private readonly replacements = new Map<number, RewrittenStream>()
  /** Object numbers of programs that keep all glyphs, because an archive file (PDF/A) lists their glyphs. */
  private readonly listedPrograms = new Set<number>()
  private readonly duplicates: Duplicates
  private readonly usage: FontUsage
  /** Font programs that were subset before writing starts, because the subset tags in font names depend on them. */
  private readonly subsetPrograms = new Map<number, RewrittenStream>()
  /** Object numbers of the original programs of each merged program. */
  private readonly members = new Map<number, readonly number[]>()
  private readonly tags: SubsetTags
  /** Object numbers of converted programs that keep all of their glyphs. */
  private readonly completePrograms = new Set<number>()

  constructor(reader: Reader, usage: FontUsage, duplicates: Duplicates) {
    this.reader = reader
    this.usage = usage
    this.duplicates = duplicates
    this.tags = new SubsetTags(duplicates)
    this.programs = usage.unsafeReason ? new Map() : usage.programs
    const shared = new Set<number>()
    for (const font of usage.unsafeReason ? [] : usage.all) {
      const reference = font.dict.get('ToUnicode')
      if (!(reference instanceof Ref)) continue
      const number = duplicates.originalOf(reference.number)
      const keepsAllGlyphs = usage.programs.get(font.file)?.mustKeepAllGlyphs ?? true
      if (keepsAllGlyphs || font.cmap !== IDENTITY_CMAP) shared.add(number)
      const codes = this.maps.get(number) ?? new Set<number>()
      for (const code of font.codes) codes.add(code)
      this.maps.set(number, codes)
    }
    for (const number of shared) this.maps.delete(number)
    this.collectGlyphMaps(usage)
  }

  /** Collects the CIDToGIDMap streams (ISO 32000-2, 9.7.4.2) of fonts whose codes are all known. */
  private collectGlyphMaps(usage: FontUsage): void {
    const shared = new Set<number>()
    for (const font of usage.unsafeReason ? [] : usage.all) {
      const reference = font.cidFont?.get('CIDToGIDMap')
      if (!(reference instanceof Ref)) continue
      const number = this.duplicates.originalOf(reference.number)
      if (!font.cmap || (usage.programs.get(font.file)?.mustKeepAllGlyphs ?? true)) shared.add(number)
      const codes = this.glyphMaps.get(number) ?? new Set<number>()
      for (const code of font.codes) codes.add(code)
      this.glyphMaps.set(number, codes)
    }
    for (const number of shared) this.glyphMaps.delete(number)
  }

  /**
   * Merges font subsets and converts Type 1 programs before anything is written. Font descriptors may be written first, and they refer to
   * the new object number or key.
   */
  async prepare({ archive, classic }: { archive: boolean; classic: boolean }, signal: AbortSignal): Promise<void> {
    for (const [number, program] of archive ? this.usage.programs : []) {
      // PDF/A-1 requires a glyph list for every tagged font (ISO 19005-1, 6.3.5). A font without a tag is complete and stays complete.
      const isWhole = classic && !(await namesOf(this.reader, program)).every(isTagged)
      if (isWhole || (await listsGlyphs(this.reader, program))) this.listedPrograms.add(number)
    }
    let bytes = await this.merge(signal)
    for (const [number, program] of this.usage.programs) {
      signal.throwIfAborted()
      if (
        program.key !== 'FontFile' ||
        program.hasDirectDescriptor ||
        this.duplicates.has(number) ||
        this.replacements.has(number) ||
        bytes > MAX_COMPACTED_BYTES
      )
        continue
      if (program.fonts.some((font) => font.kind !== 'simple' || nameOf(font.dict.get('Subtype')) === 'TrueType')) continue
      const stream = await this.reader.get(number)
      if (!(stream instanceof Stream)) continue
      const smaller = await this.type1(number, stream, program).catch(declined)
      if (!smaller || smaller.data.length + CONVERSION_BYTES > (await this.reader.length(stream))) continue
      this.replacements.set(number, smaller)
      bytes += smaller.data.length
    }
    await this.addTags(signal)
  }

  /** Adds a subset tag to font names whose programs lose glyphs (ISO 32000-2, 9.9.2). */
  private async addTags(signal: AbortSignal): Promise<void> {
    let bytes = 0
    for (const [number, program] of this.programs) {
      signal.throwIfAborted()
      if (this.duplicates.has(number) || this.listedPrograms.has(number) || program.mustKeepAllGlyphs) continue
      const fonts = (this.members.get(number) ?? [number]).flatMap((member) => this.programs.get(member)?.fonts ?? [])
      const names = await namesOf(this.reader, { ...program, fonts })
      if (names.every(isTagged)) continue
      const known = this.replacements.get(number)
      if (this.completePrograms.has(number)) continue
      const smaller = known ?? (await this.subsetOf(number, program).catch(declined))
      if (!smaller) continue
      this.tags.assign(number, fonts, names, smaller.data)
      if (known || (bytes += smaller.data.length) > MAX_COMPACTED_BYTES) continue
      this.subsetPrograms.set(number, smaller)
    }
  }

  /** Returns a font program without unused glyphs. `undefined`: the result is not smaller. */
  private async subsetOf(number: number, program: FontProgram): Promise<RewrittenStream | undefined> {
    const stream = await this.reader.get(number)
    if (!(stream instanceof Stream)) return undefined
    const length = await this.reader.length(stream)
    if (length > MAX_STORED_BYTES || program.mustKeepAllGlyphs || this.listedPrograms.has(number)) return undefined
    const data = await this.reader.decoded(stream, MAX_DECODED_BYTES)
    const smaller = program.key === 'FontFile2' ? await this.trueType(data, program) : await this.subsetFontFile3(stream, data, program)
    if (!smaller || smaller.length >= data.length) return undefined
    const result = rewritten(stream, smaller, ['Length1', 'Length2', 'Length3'])
    if (program.key === 'FontFile2') result.dict.set('Length1', smaller.length)
    else if (!hasOutlineTable(smaller)) result.dict.set('Subtype', Name.of(compactSubtype(program)))
    return result.data.length < length ? result : undefined
  }

  /** Merges font programs and returns the total size of the merged programs in bytes. */
  private async merge(signal: AbortSignal): Promise<number> {
    let bytes = 0
    for (const { key, members, data } of await new FontMerge(this.reader, this.listedPrograms, signal).run(this.usage)) {
      const [first, ...others] = members
      const stream = await this.reader.get(first!)
      if (!(stream instanceof Stream) || bytes > MAX_COMPACTED_BYTES) continue
      const result = rewritten(stream, data, ['Length1', 'Length2', 'Length3'])
      if (key === 'FontFile2') result.dict.set('Length1', data.length)
      else result.dict.set('Subtype', Name.of(compactSubtype(this.programs.get(first!)!)))
      let separateBytes = 0
      for (const number of members) {
        const member = await this.reader.get(number)
        separateBytes += member instanceof Stream ? await this.reader.length(member) : 0
      }
      if (result.data.length >= separateBytes) continue
      for (const number of others) this.duplicates.redirect(number, first!)
      this.replacements.set(first!, { ...result, isShared: true })
      this.unions.add(first!)
      this.members.set(first!, members)
      this.merged += members.length
      bytes += result.data.length
    }
    return bytes
  }

  /** Renames /FontFile to /FontFile3 for converted programs (ISO 32000-2, 9.9.1, table 124) and adds subset tags to font names. */
  readonly adapt = (found: Dict): Dict => {
    const dict = this.tags.adapt(found)
    const file = dict.get('FontFile')
    if (!(file instanceof Ref) || !this.replacements.has(this.duplicates.originalOf(file.number))) return dict
    return new Dict([...dict].map(([key, value]) => [key === 'FontFile' ? 'FontFile3' : key, value] as [string, PdfObject]))
  }

  readonly transform = async (number: number, stream: Stream, _chain: Filter[]): Promise<RewrittenStream | undefined> => {
    const codes = this.maps.get(number)
    const length = await this.reader.length(stream)
    const replacement = this.replacements.get(number)
    if (replacement) {
      if (!this.unions.has(number)) this.converted++
      return replacement
    }
    if (length > MAX_STORED_BYTES) return undefined
    if (codes) {
      const text = pruneToUnicode(await this.reader.decoded(stream, MAX_DECODED_BYTES), codes)
      return text && rewritten(stream, text, ['UseCMap'])
    }
    const cids = this.glyphMaps.get(number)
    if (cids) return rewritten(stream, prunedGlyphMap(await this.reader.decoded(stream, MAX_GLYPH_MAP_BYTES), cids), [])
    const program = this.programs.get(number)
    const smaller = program && (this.subsetPrograms.get(number) ?? (await this.subsetOf(number, program)))
    if (smaller) this.subset++
    return smaller
  }

  private async type1(number: number, stream: Stream, program: FontProgram): Promise<RewrittenStream | undefined> {
    if ((await this.reader.length(stream)) > MAX_STORED_BYTES) return undefined
    const font = parseType1(await this.reader.decoded(stream, MAX_TYPE1_BYTES))
    const keepsAllGlyphs = program.mustKeepAllGlyphs || this.listedPrograms.has(number) || this.usage.unsafeReason !== ''
    const uses = keepsAllGlyphs ? undefined : await fontUses(this.reader, 'charstrings', program.fonts)
    const requestedGlyphs = uses && type1Names(font, uses)
    if (!requestedGlyphs || [...font.charstrings.keys()].every((name) => requestedGlyphs.has(name))) this.completePrograms.add(number)
    const result = rewritten(stream, convertType1(font, requestedGlyphs), ['Length1', 'Length2', 'Length3'])
    result.dict.set('Subtype', Name.of('Type1C'))
    return result
  }

  private async trueType(data: Uint8Array, program: FontProgram): Promise<Uint8Array | undefined> {
    const tables = readFontTables(data)
    if (!tables?.has('glyf')) return undefined
    const uses = await fontUses(this.reader, 'glyf', program.fonts)
    const glyphs = uses && trueTypeGlyphs(tables, uses)
    if (!glyphs) return undefined
    const simple = program.fonts.some((font) => font.kind !== 'cid')
    return subsetTrueType(tables, new FontView(data).u32(0), glyphs, simple)
  }

  /** Subsets a bare CFF font program (ISO 32000-2, 9.9.1, table 124). */
  private async subsetBareCff(data: Uint8Array, program: FontProgram): Promise<Uint8Array | undefined> {
    const cff = new Cff(data)
    // CFF fonts with the predefined Expert encoding are not supported.
    if (cff.value(OP.encoding, 0) === 1) return undefined
    const uses = await fontUses(this.reader, 'charstrings', program.fonts)
    const requestedGlyphs = uses && cffGlyphs(cff, uses)
    return requestedGlyphs && subsetCff(cff, requestedGlyphs.glyphs, requestedGlyphs.keepNumbers)
  }

  /** Subsets a /FontFile3 program: bare CFF, or OpenType, which may be reduced to its CFF table. */
  private async subsetFontFile3(stream: Stream, data: Uint8Array, program: FontProgram): Promise<Uint8Array | undefined> {
    const subtype = nameOf(stream.dict.get('Subtype'))
    if (subtype === 'Type1C' || subtype === 'CIDFontType0C') return this.subsetBareCff(data, program)
    if (subtype !== 'OpenType') return undefined
    if (hasOutlineTable(data)) return this.trueType(data, program)
    const bare = standaloneCff(data, program)
    return bare && this.subsetBareCff(bare, program)
  }
}

/** Returns the CIDToGIDMap with entries for these CIDs only; other entries become 0. */
function prunedGlyphMap(map: Uint8Array, cids: ReadonlySet<number>): Uint8Array {
  let last = 0
  for (const cid of cids) last = Math.max(last, cid)
  last = Math.min((map.length >> 1) - 1, last)
  const pruned = new Uint8Array((last + 1) * 2)
  for (const cid of cids) if (cid <= last) pruned.set(map.subarray(cid * 2, cid * 2 + 2), cid * 2)
  return pruned
}

function declined(error: unknown): undefined {
  if (isCodecError(error, 'over_budget') || error instanceof PdfSyntax || error instanceof RangeError) return undefined
  throw error
}

function rewritten(stream: Stream, data: Uint8Array, obsolete: readonly string[]): RewrittenStream {
  const dict = new Dict(stream.dict)
  for (const key of obsolete) dict.delete(key)
  setFilters(dict, [{ name: 'FlateDecode', parms: null }])
  return { dict, data: zlibCompress(data) }
}

/**
 * Merges subsets that were cut from the same font, for example by different producers. If their glyphs do not conflict, all font
 * dictionaries share one program. The dictionaries stay unchanged.
 */
import { cffOf } from '../../../fonts/sfnt/opentype.ts'
import { UNION_KINDS } from '../../../fonts/union/kinds.ts'
import { type FontPart, FontUnion } from '../../../fonts/union/part.ts'
import { isCodecError } from '../../../model/error.ts'
import { nameOf, PdfSyntax, Stream } from '../objects.ts'
import type { Reader } from '../reader.ts'
import { MAX_FONT_UNIONS, MERGED_FONT_SHARE } from '../tuning.ts'
import { standaloneCff } from './opentype.ts'
import type { FontFileKey, FontProgram, FontUsage } from './shown.ts'
import { fontUses } from './uses.ts'

const KINDS: Readonly<Record<FontFileKey, keyof typeof UNION_KINDS>> = { FontFile: 'type1', FontFile2: 'truetype', FontFile3: 'cff' }

/** Extracts the glyphs of the program `data` that a document shows. `undefined`: the document uses the program in an unsupported form. */
async function partOf(reader: Reader, { key, fonts }: FontProgram, data: Uint8Array): Promise<FontPart | undefined> {
  const uses = await fontUses(reader, outlinesOf(key), fonts)
  return uses && UNION_KINDS[KINDS[key]].part(data, uses)
}

/** Explains why `after` cannot replace a font program. `undefined`: it shows the same glyphs. */
async function differenceOf(reader: Reader, { key, fonts }: FontProgram, part: FontPart, after: Uint8Array): Promise<string | undefined> {
  const uses = await fontUses(reader, outlinesOf(key), fonts)
  return uses ? UNION_KINDS[KINDS[key]].difference(part, after, uses) : 'the use of the font is not supported'
}

const outlinesOf = (key: FontFileKey) => (key === 'FontFile2' ? 'glyf' : 'charstrings')

/** Font program that replaces several programs. */
export interface MergedProgram {
  key: FontFileKey
  /** Object numbers of the replaced programs. The first number is used for the merged program. */
  members: number[]
  data: Uint8Array
}

const MAX_PROGRAM_BYTES = 4 * 1024 * 1024
/** Maximum decoded bytes of the programs of one font (`MAX_GROUP_BYTES`) and of a whole document (`MAX_DOCUMENT_BYTES`). */
const MAX_GROUP_BYTES = 8 * 1024 * 1024
const MAX_DOCUMENT_BYTES = 96 * 1024 * 1024

export class FontMerge {
  private readonly reader: Reader
  private readonly signal: AbortSignal
  /** Object numbers of programs whose glyph set must not change. */
  private readonly listedPrograms: ReadonlySet<number>
  private spent = 0

  constructor(reader: Reader, listedPrograms: ReadonlySet<number>, signal: AbortSignal) {
    this.reader = reader
    this.listedPrograms = listedPrograms
    this.signal = signal
  }

  async run(usage: FontUsage): Promise<MergedProgram[]> {
    if (usage.unsafeReason) return []
    const groups = new Map<string, number[]>()
    for (const [number, program] of usage.programs) {
      const name = this.listedPrograms.has(number) ? undefined : this.groupOf(program)
      if (name === undefined) continue
      const group = groups.get(name)
      if (group) group.push(number)
      else groups.set(name, [number])
    }
    const merged: MergedProgram[] = []
    for (const group of groups.values()) {
      if (group.length > 1) for (const one of await this.group(group, usage)) merged.push(one)
    }
    return merged
  }

  /**
   * Key of programs that may belong to one font: equal names without the subset tag (ISO 32000-2, 9.9.2). `undefined`: the program must not
   * be merged.
   */
  private groupOf(program: FontProgram): string | undefined {
    const { key, fonts, mustKeepAllGlyphs: whole, hasDirectDescriptor: inline } = program
    if (whole || inline || fonts.some(({ kind, dict }) => kind === 'other' || (key === 'FontFile' && !isType1(dict)))) return undefined
    const name = nameOf(fonts[0]?.dict.get('BaseFont')).replace(/^[A-Z]{6}\+/, '')
    return name && `${key} ${fonts[0]!.kind} ${name}`
  }

  private async group(numbers: readonly number[], usage: FontUsage): Promise<MergedProgram[]> {
    const key = usage.programs.get(numbers[0]!)!.key
    const unions: FontUnion<FontPart>[] = []
    let bytes = 0
    for (const number of numbers) {
      this.signal.throwIfAborted()
      if (bytes > MAX_GROUP_BYTES || this.spent > MAX_DOCUMENT_BYTES) break
      const program = usage.programs.get(number)!
      const data = await this.program(number, program)
      const part = data && (await attempt(() => partOf(this.reader, program, data)))
      if (!part) continue
      bytes += data.length
      this.spent += data.length
      if (unions.some((union) => union.add(number, part)) || unions.length === MAX_FONT_UNIONS) continue
      const union = new FontUnion(part)
      if (union.add(number, part)) unions.push(union)
    }
    const merged: MergedProgram[] = []
    for (const union of unions) {
      const data = union.parts.size > 1 ? await attempt(() => this.merge(key, union, usage)) : undefined
      if (data) merged.push({ key, members: [...union.parts.keys()], data })
    }
    return merged
  }

  private async program(number: number, program: FontProgram): Promise<Uint8Array | undefined> {
    const stream = await this.reader.get(number)
    if (!(stream instanceof Stream)) return undefined
    const subtype = nameOf(stream.dict.get('Subtype'))
    if (subtype && !/^(Type1C|CIDFontType0C|OpenType)$/.test(subtype)) return undefined
    const data = await attempt(() => this.reader.decoded(stream, MAX_PROGRAM_BYTES))
    return data && subtype === 'OpenType' ? attempt(async () => standaloneCff(data, program)) : data
  }

  /** Writes the merged program and verifies it. `undefined`: it is not smaller, or a glyph differs. */
  private async merge(key: FontFileKey, union: FontUnion<FontPart>, usage: FontUsage): Promise<Uint8Array | undefined> {
    const data = UNION_KINDS[KINDS[key]].write(union)
    let separateBytes = 0
    for (const [number, part] of union.parts) {
      separateBytes += part.bytes
      if (await differenceOf(this.reader, usage.programs.get(number)!, part, data)) return undefined
    }
    return data.length < separateBytes * MERGED_FONT_SHARE ? data : undefined
  }
}

const isType1 = (dict: FontProgram['fonts'][number]['dict']) => /^(Type1|MMType1)$/.test(nameOf(dict.get('Subtype')))

async function attempt<T>(action: () => Promise<T>): Promise<T | undefined> {
  try {
    return await action()
  } catch (error) {
    if (isCodecError(error, 'over_budget') || error instanceof PdfSyntax || error instanceof RangeError) return undefined
    throw error
  }
}

/** For verification: explains why `after` does not show every glyph that the fonts of a program show of `before`. `undefined`: it does. */
export async function shownGlyphDifference(
  reader: Reader,
  program: FontProgram,
  before: Uint8Array,
  after: Uint8Array,
): Promise<string | undefined> {
  if (program.mustKeepAllGlyphs) return 'a font that must keep all glyphs changed'
  const shown = await partOf(reader, program, program.key === 'FontFile3' ? cffOf(before) : before)
  return shown ? differenceOf(reader, program, shown, after) : 'the use of the font is not supported'
}

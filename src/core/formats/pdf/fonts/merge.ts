/**
 * Programs that several producers, or several parts of a document, have cut from one font: where nothing contradicts, all
 * font dictionaries share one program with the glyphs of all. Nothing of the dictionaries changes.
 */
import { cffOf } from '../../../fonts/sfnt/opentype.ts'
import { UNION_KINDS } from '../../../fonts/union/kinds.ts'
import { type Part, Union } from '../../../fonts/union/part.ts'
import { isCodecError } from '../../../model/error.ts'
import { nameOf, PdfSyntax, Stream } from '../objects.ts'
import type { Reader } from '../reader.ts'
import { MERGED_FONT_SHARE, MOST_UNIONS } from '../tuning.ts'
import { bareCff } from './opentype.ts'
import type { FontFileKey, FontProgram, FontUsage } from './shown.ts'
import { usesOf } from './uses.ts'

const KINDS: Readonly<Record<FontFileKey, keyof typeof UNION_KINDS>> = { FontFile: 'type1', FontFile2: 'truetype', FontFile3: 'cff' }

/** What a document shows of the program `data`. `undefined`: it is used in a way that is not followed, or not understood. */
async function partOf(reader: Reader, { key, fonts }: FontProgram, data: Uint8Array): Promise<Part | undefined> {
  const uses = await usesOf(reader, outlinesOf(key), fonts)
  return uses && UNION_KINDS[KINDS[key]].part(data, uses)
}

/** Why `after` cannot stand for what a document shows of a program. `undefined`: it can. */
async function differenceOf(reader: Reader, { key, fonts }: FontProgram, part: Part, after: Uint8Array): Promise<string | undefined> {
  const uses = await usesOf(reader, outlinesOf(key), fonts)
  return uses ? UNION_KINDS[KINDS[key]].difference(part, after, uses) : 'not understood'
}

const outlinesOf = (key: FontFileKey) => (key === 'FontFile2' ? 'glyf' : 'charstrings')

/** A program that takes the place of several. */
export interface Merged {
  key: FontFileKey
  /** Object numbers; the first one stands for all. */
  members: number[]
  data: Uint8Array
}

const MOST_PROGRAM_BYTES = 4 * 1024 * 1024
/** Decoded programs of one font at a time, and of a document. */
const MOST_GROUP_BYTES = 8 * 1024 * 1024
const MOST_ALL_BYTES = 96 * 1024 * 1024

export class FontMerge {
  private readonly reader: Reader
  private readonly signal: AbortSignal
  /** Programs whose glyphs must stay what they are. */
  private readonly listed: ReadonlySet<number>
  private spent = 0

  constructor(reader: Reader, listed: ReadonlySet<number>, signal: AbortSignal) {
    this.reader = reader
    this.listed = listed
    this.signal = signal
  }

  async run(shelf: FontUsage): Promise<Merged[]> {
    if (shelf.doubt) return []
    const groups = new Map<string, number[]>()
    for (const [number, program] of shelf.programs) {
      const name = this.listed.has(number) ? undefined : this.groupOf(program)
      if (name === undefined) continue
      const group = groups.get(name)
      if (group) group.push(number)
      else groups.set(name, [number])
    }
    const merged: Merged[] = []
    for (const group of groups.values()) {
      if (group.length > 1) for (const one of await this.group(group, shelf)) merged.push(one)
    }
    return merged
  }

  /** Programs with equal names (but for the tag of a subset, 9.9.2) may be of one font. */
  private groupOf(program: FontProgram): string | undefined {
    const { key, fonts, whole, inline } = program
    if (whole || inline || fonts.some(({ kind, dict }) => kind === 'other' || (key === 'FontFile' && !isType1(dict)))) return undefined
    const name = nameOf(fonts[0]?.dict.get('BaseFont')).replace(/^[A-Z]{6}\+/, '')
    return name && `${key} ${fonts[0]!.kind} ${name}`
  }

  private async group(numbers: readonly number[], shelf: FontUsage): Promise<Merged[]> {
    const key = shelf.programs.get(numbers[0]!)!.key
    const unions: Union<Part>[] = []
    let bytes = 0
    for (const number of numbers) {
      this.signal.throwIfAborted()
      if (bytes > MOST_GROUP_BYTES || this.spent > MOST_ALL_BYTES) break
      const program = shelf.programs.get(number)!
      const data = await this.program(number, program)
      const part = data && (await attempt(() => partOf(this.reader, program, data)))
      if (!part) continue
      bytes += data.length
      this.spent += data.length
      if (unions.some((union) => union.add(number, part)) || unions.length === MOST_UNIONS) continue
      const union = new Union(part)
      if (union.add(number, part)) unions.push(union)
    }
    const merged: Merged[] = []
    for (const union of unions) {
      const data = union.parts.size > 1 ? await attempt(() => this.merge(key, union, shelf)) : undefined
      if (data) merged.push({ key, members: [...union.parts.keys()], data })
    }
    return merged
  }

  private async program(number: number, program: FontProgram): Promise<Uint8Array | undefined> {
    const stream = await this.reader.get(number)
    if (!(stream instanceof Stream)) return undefined
    const subtype = nameOf(stream.dict.get('Subtype'))
    if (subtype && !/^(Type1C|CIDFontType0C|OpenType)$/.test(subtype)) return undefined
    const data = await attempt(() => this.reader.decoded(stream, MOST_PROGRAM_BYTES))
    return data && subtype === 'OpenType' ? attempt(async () => bareCff(data, program)) : data
  }

  /** Undefined where it gains nothing, or is not what was meant. */
  private async merge(key: FontFileKey, union: Union<Part>, shelf: FontUsage): Promise<Uint8Array | undefined> {
    const data = UNION_KINDS[KINDS[key]].write(union)
    let apart = 0
    for (const [number, part] of union.parts) {
      apart += part.bytes
      if (await differenceOf(this.reader, shelf.programs.get(number)!, part, data)) return undefined
    }
    return data.length < apart * MERGED_FONT_SHARE ? data : undefined
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

/** Proof for the verifier: whether `after` shows all that the fonts of a program show of `before`. */
export async function shownDifference(
  reader: Reader,
  program: FontProgram,
  before: Uint8Array,
  after: Uint8Array,
): Promise<string | undefined> {
  if (program.whole) return 'a font that must stay whole'
  const shown = await partOf(reader, program, program.key === 'FontFile3' ? cffOf(before) : before)
  return shown ? differenceOf(reader, program, shown, after) : 'a font that is not understood'
}

/**
 * Programs that several producers, or several parts of a document, have cut from one font: where nothing contradicts, all
 * font dictionaries share one program with the glyphs of all. Nothing of the dictionaries changes.
 */
import { isCodecError } from '../../../model/error.ts'
import { nameOf, PdfSyntax, Stream } from '../objects.ts'
import type { Reader } from '../reader.ts'
import { Cff } from './cff.ts'
import { bareCff, cffOf } from './opentype.ts'
import { type Part, partDifference, Union } from './part.ts'
import type { FontFileKey, FontProgram, FontUsage, ShownFont } from './shown.ts'
import { parseType1 } from './type1/program.ts'
import { cffPart, writeCff } from './union-cff.ts'
import { trueTypePart, writeTrueType } from './union-truetype.ts'
import { type1Difference, type1Part, writeType1 } from './union-type1.ts'

/** How one format of font programs is merged. All of it throws a `RangeError` for what is damaged or not followed. */
interface Kind<P extends Part> {
  part(reader: Reader, data: Uint8Array, fonts: readonly ShownFont[]): Promise<P | undefined>
  write(union: Union<P>): Uint8Array
  /** Why a program cannot stand for what is shown of another one. */
  difference(reader: Reader, part: P, after: Uint8Array, fonts: readonly ShownFont[]): Promise<string | undefined>
}

const kind = <P extends Part>(part: Kind<P>['part'], write: Kind<P>['write'], difference?: Kind<P>['difference']): Kind<Part> => {
  const byPart: Kind<P>['difference'] = async (reader, before, after, fonts) => {
    const fresh = await part(reader, after, fonts)
    return fresh ? partDifference(before, fresh) : 'not understood'
  }
  // Parts of one kind only ever meet their own functions.
  return { part, write, difference: difference ?? byPart } as unknown as Kind<Part>
}

const KINDS: Readonly<Record<FontFileKey, Kind<Part>>> = {
  FontFile: kind(
    (reader, data, fonts) => type1Part(reader, parseType1(data), fonts),
    writeType1,
    (reader, part, after, fonts) => type1Difference(reader, part, new Cff(after), fonts),
  ),
  FontFile2: kind(trueTypePart, writeTrueType),
  FontFile3: kind((reader, data, fonts) => cffPart(reader, new Cff(data), fonts), writeCff),
}

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
/** Of one font: programs that contradict each other stay apart, as many as these. */
const MOST_UNIONS = 8
/** Less gain than this is not worth it. */
const WORTHWHILE = 0.97

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
      const part = data && (await attempt(() => KINDS[key].part(this.reader, data, program.fonts)))
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
    const data = KINDS[key].write(union)
    let apart = 0
    for (const [number, part] of union.parts) {
      apart += part.bytes
      if (await KINDS[key].difference(this.reader, part, data, shelf.programs.get(number)!.fonts)) return undefined
    }
    return data.length < apart * WORTHWHILE ? data : undefined
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
  const { part, difference } = KINDS[program.key]
  const shown = await part(reader, program.key === 'FontFile3' ? cffOf(before) : before, program.fonts)
  return shown ? difference(reader, shown, after, program.fonts) : 'a font that is not understood'
}

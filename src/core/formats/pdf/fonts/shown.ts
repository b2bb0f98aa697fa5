/** Fonts as they are used: which codes are shown with each font dictionary, and which font program that needs. */
import type { Duplicates } from '../duplicates.ts'
import { Dict, nameOf, type PdfObject, PdfSyntax, Ref, Stream } from '../objects.ts'
import type { Reader } from '../reader.ts'
import { type CMap, IDENTITY_CMAP, parseCMap } from './cmap.ts'

export type FontFileKey = 'FontFile' | 'FontFile2' | 'FontFile3'
const FILE_KEYS: readonly FontFileKey[] = ['FontFile', 'FontFile2', 'FontFile3']

/** One font dictionary (ISO 32000-2, 9.5 to 9.7). */
export interface ShownFont {
  kind: 'simple' | 'cid' | 'other'
  dict: Dict
  /** The descendant of a Type 0 font. */
  cidFont: Dict | undefined
  /** Character codes of simple fonts, CIDs of composite ones. */
  codes: Set<number>
  /** Character codes of composite fonts with two-byte identity encoding equal their CIDs. */
  cmap: CMap | undefined
  /** Object number of the font program, 0 when there is none. */
  file: number
  fileKey: FontFileKey | undefined
  /** The descriptor is an object of its own. */
  ownDescriptor: boolean
}

export interface FontProgram {
  key: FontFileKey
  fonts: ShownFont[]
  /** Something uses it in a way that was not followed. */
  whole: boolean
  /** Some descriptor that names it is not an object of its own. */
  inline: boolean
}

/**
 * Whether a descriptor lists the glyphs of the program (9.8.1 and 9.8.3): in an archive it must list those that are there, shown or not
 * (ISO 19005-2, 6.2.11.4.2).
 */
export async function listsGlyphs(reader: Reader, { fonts }: FontProgram): Promise<boolean> {
  for (const font of fonts) {
    const descriptor = await reader.dict((font.cidFont ?? font.dict).get('FontDescriptor'))
    if (descriptor?.has('CIDSet') || descriptor?.has('CharSet')) return true
  }
  return false
}

const MAX_CMAP_BYTES = 4 * 1024 * 1024

export class FontUsage {
  /** Why no font may be touched, '' when all text was followed. */
  doubt = ''
  readonly programs = new Map<number, FontProgram>()
  private readonly reader: Reader
  private readonly duplicates: Duplicates
  private readonly known = new Map<number, ShownFont>()

  constructor(reader: Reader, duplicates: Duplicates) {
    this.reader = reader
    this.duplicates = duplicates
  }

  get all(): Iterable<ShownFont> {
    return this.known.values()
  }

  doubtAll(why: string): void {
    this.doubt ||= why
  }

  /** The font behind a resource; undefined when it is no font dictionary. */
  async font(object: PdfObject | undefined): Promise<ShownFont | undefined> {
    const number = object instanceof Ref ? this.duplicates.of(object.number) : 0
    const known = this.known.get(number)
    if (known) return known
    const dict = await this.reader.resolve(object)
    if (!(dict instanceof Dict)) return undefined
    // Descendants (CIDFonts) are reached through their Type 0 font.
    if (/^CIDFont/.test(nameOf(dict.get('Subtype')))) return undefined
    const font = await this.describe(dict)
    if (number) this.known.set(number, font)
    if (font.file && font.fileKey) {
      const program = this.programs.get(font.file) ?? { key: font.fileKey, fonts: [], whole: false, inline: false }
      program.fonts.push(font)
      program.inline ||= !font.ownDescriptor
      if (program.key !== font.fileKey || !number || (font.kind === 'cid' && !font.cmap)) program.whole = true
      this.programs.set(font.file, program)
    }
    return font
  }

  show(font: ShownFont, text: Uint8Array): void {
    if (font.kind !== 'cid') {
      for (const code of text) font.codes.add(code)
      return
    }
    const { cmap } = font
    if (!cmap) return
    for (let at = 0; at < text.length; ) {
      const [code, length] = cmap.next(text, at)
      if (code >= 0) font.codes.add(cmap.cid(code, length))
      at += length
    }
  }

  /** Fonts offered to forms are for text that is typed later; XFA draws what was never seen here. */
  async reserve(root: Dict): Promise<void> {
    const form = await this.reader.dict(root.get('AcroForm'))
    if (!form) return
    if (form.has('XFA')) this.doubtAll('XFA')
    await this.keepWhole(await this.reader.dict(form.get('DR')))
  }

  /** All fonts of these resources: text may be typed with them later. */
  async keepWhole(resources: Dict | undefined): Promise<void> {
    for (const value of (await this.reader.dict(resources?.get('Font')))?.values() ?? []) {
      const font = await this.font(value)
      const program = font && this.programs.get(font.file)
      if (program) program.whole = true
    }
  }

  private async describe(dict: Dict): Promise<ShownFont> {
    const { reader } = this
    const subtype = nameOf(await reader.entry(dict, 'Subtype'))
    const font: ShownFont = {
      kind: 'other',
      dict,
      cidFont: undefined,
      codes: new Set(),
      cmap: undefined,
      file: 0,
      fileKey: undefined,
      ownDescriptor: false,
    }
    let holder: Dict | undefined = dict
    if (subtype === 'Type0') {
      font.kind = 'cid'
      const descendants = await reader.entry(dict, 'DescendantFonts')
      holder = await reader.dict(Array.isArray(descendants) ? descendants[0] : undefined)
      font.cidFont = holder
      font.cmap = await this.encoding(dict)
    } else if (subtype === 'TrueType' || subtype === 'Type1' || subtype === 'MMType1') font.kind = 'simple'
    font.ownDescriptor = holder?.get('FontDescriptor') instanceof Ref
    const descriptor = await reader.dict(holder?.get('FontDescriptor'))
    for (const key of FILE_KEYS) {
      const file = descriptor?.get(key)
      if (!(file instanceof Ref)) continue
      font.file = this.duplicates.of(file.number)
      font.fileKey = key
    }
    return font
  }

  /** 9.7.5: identity and embedded CMaps are followed; predefined ones are not. */
  private async encoding(dict: Dict): Promise<CMap | undefined> {
    const encoding = await this.reader.entry(dict, 'Encoding')
    if (/^Identity-[HV]$/.test(nameOf(encoding))) return IDENTITY_CMAP
    if (!(encoding instanceof Stream) || encoding.dict.has('UseCMap')) return undefined
    try {
      return parseCMap(await this.reader.decoded(encoding, MAX_CMAP_BYTES))
    } catch (error) {
      if (error instanceof PdfSyntax) return undefined
      throw error
    }
  }
}

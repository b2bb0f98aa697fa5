/** Usage of fonts: the character codes shown with each font dictionary, and the font program it needs. */
import type { Duplicates } from '../duplicates.ts'
import { Dict, nameOf, type PdfObject, PdfSyntax, Ref, Stream } from '../objects.ts'
import type { Reader } from '../reader.ts'
import { type CMap, IDENTITY_CMAP, parseCMap } from './cmap.ts'

export type FontFileKey = 'FontFile' | 'FontFile2' | 'FontFile3'
const FILE_KEYS: readonly FontFileKey[] = ['FontFile', 'FontFile2', 'FontFile3']

/** Usage of one font dictionary (ISO 32000-2, 9.5 to 9.7). */
export interface ShownFont {
  kind: 'simple' | 'cid' | 'other'
  dict: Dict
  /** Descendant CIDFont of a Type 0 font; `undefined` for other fonts. */
  cidFont: Dict | undefined
  /** Shown character codes of a simple font, or shown CIDs of a composite font. */
  codes: Set<number>
  /** CMap of a composite font. `undefined`: no composite font, or an unsupported encoding. */
  cmap: CMap | undefined
  /** Object number of the font program; 0 if there is none. */
  file: number
  fileKey: FontFileKey | undefined
  /** True if the font descriptor is an indirect object. */
  ownDescriptor: boolean
}

export interface FontProgram {
  key: FontFileKey
  fonts: ShownFont[]
  /** True if the program must keep all glyphs, because some use of it is unknown. */
  mustKeepAllGlyphs: boolean
  /** True if a font descriptor that refers to the program is not an indirect object. */
  hasDirectDescriptor: boolean
}

/**
 * True if a font descriptor lists the glyphs of the program (ISO 32000-2, 9.8.1 and 9.8.3). In archive files the list must match the glyphs
 * in the program (ISO 19005-2, 6.2.11.4.2).
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
  /** Reason why no font may be changed. Empty: all text was scanned. */
  unsafeReason = ''
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

  markUnsafe(why: string): void {
    this.unsafeReason ||= why
  }

  /** Returns the usage of the font in a resource. `undefined`: the object is no font dictionary. */
  async font(object: PdfObject | undefined): Promise<ShownFont | undefined> {
    const number = object instanceof Ref ? this.duplicates.originalOf(object.number) : 0
    const known = this.known.get(number)
    if (known) return known
    const dict = await this.reader.resolve(object)
    if (!(dict instanceof Dict)) return undefined
    // CIDFonts are handled with their Type 0 font.
    if (/^CIDFont/.test(nameOf(dict.get('Subtype')))) return undefined
    const font = await this.describe(dict)
    if (number) this.known.set(number, font)
    if (font.file && font.fileKey) {
      const program = this.programs.get(font.file) ?? { key: font.fileKey, fonts: [], mustKeepAllGlyphs: false, hasDirectDescriptor: false }
      program.fonts.push(font)
      program.hasDirectDescriptor ||= !font.ownDescriptor
      if (program.key !== font.fileKey || !number || (font.kind === 'cid' && !font.cmap)) program.mustKeepAllGlyphs = true
      this.programs.set(font.file, program)
    }
    return font
  }

  addText(font: ShownFont, text: Uint8Array): void {
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

  /** Keeps complete all fonts offered to form fields, because users may type any text. XFA forms show text that the scan does not know. */
  async keepFormFonts(root: Dict): Promise<void> {
    const form = await this.reader.dict(root.get('AcroForm'))
    if (!form) return
    if (form.has('XFA')) this.markUnsafe('XFA')
    await this.keepAllGlyphs(await this.reader.dict(form.get('DR')))
  }

  /** Keeps all fonts of these resources complete, because a user may type text with them later. */
  async keepAllGlyphs(resources: Dict | undefined): Promise<void> {
    for (const value of (await this.reader.dict(resources?.get('Font')))?.values() ?? []) {
      const font = await this.font(value)
      const program = font && this.programs.get(font.file)
      if (program) program.mustKeepAllGlyphs = true
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
      font.file = this.duplicates.originalOf(file.number)
      font.fileKey = key
    }
    return font
  }

  /**
   * Parses the encoding of a composite font (ISO 32000-2, 9.7.5). Identity and embedded CMaps are supported, other predefined CMaps are
   * not.
   */
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

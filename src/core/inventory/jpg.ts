/** Reads the inventory of JPEG files (ITU-T T.81, T.871; CIPA DC-007; XMP part 3). */

import { concat } from '../bytes/concat.ts'
import { latin1Of } from '../bytes/latin1.ts'
import type { Source } from '../model/codec.ts'
import { textOfBytes } from './decode-text.ts'
import { digestOf } from './digest.ts'
import { addExif } from './exif.ts'
import { FileView } from './file-view.ts'
import { type Inventory, InventoryBuilder, type InventoryReader } from './inventory.ts'
import { addPhotoshop } from './iptc.ts'
import { ExtendedXmp } from './jpg-extended-xmp.ts'
import { addMultiPicture } from './jpg-mpf.ts'
import { type JpegSegment, jpegSegments } from './jpg-segments.ts'
import { addComment, addPixelShape, addProfile, addResolution } from './picture-items.ts'
import { rangesOf } from './ranges.ts'
import { digestOfRange } from './tiff-directory.ts'
import { addTrailingBytes } from './trailing.ts'
import { XML_LIBRARY } from './xml-library.ts'
import { addXmp } from './xmp.ts'

const EXIF = 'Exif\0\0'
const XMP = 'http://ns.adobe.com/xap/1.0/\0'
const EXTENDED_XMP = 'http://ns.adobe.com/xmp/extension/\0'
const PHOTOSHOP = 'Photoshop 3.0\0'
const PROFILE = 'ICC_PROFILE\0'
const COMMENT = 0xfe
/** Most bytes of metadata that are kept until the end: profile and Photoshop resources may span several segments. */
const MOST_KEPT_BYTES = 8 * 1024 * 1024

/** Reads one file: walks its segments and adds the items of each. */
class JpegReading {
  readonly #view: FileView
  readonly #builder = new InventoryBuilder()
  readonly #profile = new Map<number, Uint8Array>()
  readonly #photoshop: Uint8Array[] = []
  readonly #extended = new ExtendedXmp()
  #multiPicture: { readonly at: number; readonly content: Uint8Array } | undefined
  #hasExif = false
  #kept = 0

  constructor(view: FileView) {
    this.#view = view
  }

  async read(): Promise<Inventory> {
    const builder = this.#builder
    let end = this.#view.size
    for await (const segment of jpegSegments(this.#view, 0)) {
      if (segment.kind === 'end') end = segment.at
      else await this.#visit(segment)
    }
    const profile = [...this.#profile].sort(([a], [b]) => a - b).map(([, part]) => part)
    if (profile.length > 0) addProfile(builder, concat(profile))
    if (this.#photoshop.length > 0) addPhotoshop(builder, concat(this.#photoshop))
    this.#extended.addTo(builder)
    if (this.#multiPicture) await addMultiPicture(builder, this.#view, this.#multiPicture)
    await addTrailingBytes(builder, this.#view, await this.#furtherPictures(end))
    return builder.build()
  }

  /** Adds the pictures that follow the end of the picture, such as gain maps. Returns the offset behind them. */
  async #furtherPictures(from: number): Promise<number> {
    let at = from
    while (await startsPicture(this.#view, at)) {
      let end = this.#view.size
      for await (const segment of jpegSegments(this.#view, at)) if (segment.kind === 'end') end = segment.at
      this.#builder.add('further_pictures', `JPEG after the end = ${end - at} bytes #${await digestOfRange(this.#view, at, end - at)}`)
      at = end
    }
    return at
  }

  async #visit({ marker, at, content }: Extract<JpegSegment, { kind: 'segment' }>): Promise<void> {
    const builder = this.#builder
    if (marker === COMMENT) addComment(builder, textOfBytes(content))
    if (marker < 0xe0 || marker > 0xef) return
    const rest = (signature: string) => (startsWith(content, signature) ? content.subarray(signature.length) : undefined)
    const isApp1 = marker === 0xe1
    const [exif, xmp, extended] = [isApp1 && rest(EXIF), isApp1 && rest(XMP), isApp1 && rest(EXTENDED_XMP)]
    if (marker === 0xe0 && startsWith(content, 'JFIF\0')) this.#density(content)
    else if (marker === 0xee && startsWith(content, 'Adobe'))
      return // says how colours are stored
    else if (exif && !this.#hasExif) {
      this.#hasExif = true
      await addExif(builder, rangesOf(exif.slice()))
    } else if (xmp) addXmp(builder, xmp)
    else if (extended && this.#extended.take(extended)) return
    else if (marker === 0xe2 && startsWith(content, PROFILE) && content.length > 14 && this.#keep(content.length))
      this.#profile.set(content[12]!, content.slice(14))
    else if (marker === 0xed && startsWith(content, PHOTOSHOP) && this.#keep(content.length))
      this.#photoshop.push(content.slice(PHOTOSHOP.length))
    else if (marker === 0xe2 && startsWith(content, 'MPF\0') && !this.#multiPicture)
      this.#multiPicture = { at: at + 4, content: content.slice(4) }
    else builder.add('segments', `APP${marker - 0xe0} ${nameOf(content)} #${digestOf(content)}`)
  }

  /** Adds the density of a JFIF header (ITU-T T.871, 10.1). */
  #density(content: Uint8Array): void {
    if (content.length < 12) return
    const [units, x, y] = [content[7]!, content[8]! * 256 + content[9]!, content[10]! * 256 + content[11]!]
    if (units === 0) addPixelShape(this.#builder, x, y)
    else if (units === 1) addResolution(this.#builder, x / 0.0254, y / 0.0254)
    else if (units === 2) addResolution(this.#builder, x * 100, y * 100)
  }

  #keep(bytes: number): boolean {
    this.#kept += bytes
    return this.#kept <= MOST_KEPT_BYTES
  }
}

async function startsPicture(view: FileView, at: number): Promise<boolean> {
  const [first, second, third] = await view.bytesUpTo(at, 3)
  return first === 0xff && second === 0xd8 && third === 0xff
}

const startsWith = (content: Uint8Array, signature: string) =>
  content.length >= signature.length && Array.from(signature).every((letter, i) => content[i] === letter.charCodeAt(0))

/** Name at the start of a segment, without characters that cannot be printed. */
function nameOf(content: Uint8Array): string {
  const [name = ''] = latin1Of(content.subarray(0, 40)).split('\0')
  return name.replace(/[^ -~]/g, '')
}

export const JPG_READER: InventoryReader = {
  library: XML_LIBRARY,
  read: (source: Source, signal: AbortSignal) => new JpegReading(new FileView(source, 'jpg', signal)).read(),
}

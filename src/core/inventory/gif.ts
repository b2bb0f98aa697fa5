/** Reads the inventory of GIF files (GIF89a). */
import { concat } from '../bytes/concat.ts'
import { latin1Of } from '../bytes/latin1.ts'
import { message } from '../i18n/message.ts'
import type { Source } from '../model/codec.ts'
import { overBudget } from '../model/error.ts'
import { textOfBytes } from './decode-text.ts'
import { digestOf } from './digest.ts'
import { Fields } from './fields.ts'
import { FileView } from './file-view.ts'
import type { GifFrame } from './gif-frame.ts'
import { addShownFrames } from './gif-frames.ts'
import { type Inventory, InventoryBuilder, type InventoryReader } from './inventory.ts'
import { addComment, addProfile } from './picture-items.ts'
import { addTrailingBytes } from './trailing.ts'
import { XML_LIBRARY } from './xml-library.ts'
import { addXmp } from './xmp.ts'

const [EXTENSION, IMAGE, TRAILER] = [0x21, 0x2c, 0x3b]
const [GRAPHIC_CONTROL, COMMENT, PLAIN_TEXT, APPLICATION] = [0xf9, 0xfe, 0x01, 0xff]
const HEADER_BYTES = 13
/** Most frames of a file. */
const MOST_FRAMES = 100_000
/** Most bytes of the sub-blocks of an extension that are kept; the digest of longer ones covers this part. */
const MOST_EXTENSION_BYTES = 4 * 1024 * 1024
/** Size of the magic trailer that makes XMP readable as sub-blocks (XMP part 3, 1.1.2). */
const XMP_TRAILER_BYTES = 257

interface Control {
  readonly delay: number
  readonly disposal: number
  readonly transparent: number | undefined
}

const NO_CONTROL: Control = { delay: 0, disposal: 0, transparent: undefined }

/** Walks the blocks of one file. */
class GifReading {
  readonly #view: FileView
  readonly #builder = new InventoryBuilder()
  readonly #frames: GifFrame[] = []
  #control = NO_CONTROL
  #plays: number | undefined

  constructor(view: FileView) {
    this.#view = view
  }

  async read(): Promise<Inventory> {
    const head = Fields.little((await this.#view.bytes(0, HEADER_BYTES)).slice())
    const globalColours = coloursOf(head.u8(10))
    const end = await this.#walk(HEADER_BYTES + 3 * globalColours)
    if (this.#frames.length > 1) {
      const canvas = { width: head.u16(6), height: head.u16(8), table: { at: HEADER_BYTES, colours: globalColours } }
      await addShownFrames(this.#builder, this.#view, canvas, { frames: this.#frames, plays: this.#plays })
    }
    await addTrailingBytes(this.#builder, this.#view, end)
    return this.#builder.build()
  }

  /** Visits every block. Returns the offset behind the trailer; the size of the file if there is none. */
  async #walk(start: number): Promise<number> {
    for (let at = start; at < this.#view.size; ) {
      const [kind] = await this.#view.bytes(at, 1)
      if (kind === TRAILER) return at + 1
      if (kind === EXTENSION) at = await this.#extension(at + 1)
      else if (kind === IMAGE) at = await this.#image(at + 1)
      else at++
    }
    return this.#view.size
  }

  /** Reads an image descriptor. Returns the offset behind its data. */
  async #image(at: number): Promise<number> {
    const descriptor = Fields.little((await this.#view.bytesUpTo(at, 9)).slice())
    if (descriptor.length < 9) return this.#view.size
    const flags = descriptor.u8(8)
    const table = { at: at + 9, colours: coloursOf(flags) }
    const dataAt = table.at + 3 * table.colours
    if (this.#frames.length >= MOST_FRAMES) throw overBudget(message('inventory_too_large', { items: MOST_FRAMES }))
    const [left, top, width, height] = [0, 2, 4, 6].map((offset) => descriptor.u16(offset)) as [number, number, number, number]
    this.#frames.push({ left, top, width, height, isInterlaced: (flags & 0x40) !== 0, table, dataAt, ...this.#control })
    this.#control = NO_CONTROL
    return (await this.#subBlocks(dataAt + 1, 0)).end
  }

  /** Reads an extension from its label on. Returns the offset behind it. */
  async #extension(at: number): Promise<number> {
    const [label] = await this.#view.bytesUpTo(at, 1)
    const { content, end } = await this.#subBlocks(at + 1, MOST_EXTENSION_BYTES)
    if (label === GRAPHIC_CONTROL && content.length >= 4) {
      const [flags = 0, low = 0, high = 0, index = 0] = content
      this.#control = { delay: low | (high << 8), disposal: (flags >> 2) & 7, transparent: flags & 1 ? index : undefined }
    } else if (label === COMMENT) addComment(this.#builder, textOfBytes(content))
    else if (label === PLAIN_TEXT) this.#builder.addBytes('comments', 'plain text', content)
    else if (label === APPLICATION) await this.#application(at + 1, content, end)
    return end
  }

  /** Adds an application extension (GIF89a, 26): name and code of 11 bytes, then its data. */
  async #application(at: number, content: Uint8Array, end: number): Promise<void> {
    const name = latin1Of(content.subarray(0, 11))
    const data = content.subarray(11)
    if (name === 'NETSCAPE2.0' || name === 'ANIMEXTS1.0') this.#plays = data[0] === 1 ? playsOf(data[1]! | (data[2]! << 8)) : this.#plays
    else if (name === 'ICCRGBG1012') addProfile(this.#builder, data)
    else if (name === 'XMP DataXMP') await this.#xmp(at + 12, end)
    else this.#builder.add('chunks', `extension ${name} #${digestOf(data)}`)
  }

  /** Adds the XMP packet, which is not divided into sub-blocks. */
  async #xmp(at: number, end: number): Promise<void> {
    const length = end - at - XMP_TRAILER_BYTES - 1
    if (length > 0 && length <= MOST_EXTENSION_BYTES) addXmp(this.#builder, (await this.#view.bytes(at, length)).slice())
  }

  /** Joins sub-blocks (GIF89a, 15), at most `most` bytes. Returns them and the offset behind the terminator. */
  async #subBlocks(start: number, most: number): Promise<{ content: Uint8Array; end: number }> {
    const parts: Uint8Array[] = []
    let [at, total] = [start, 0]
    while (at < this.#view.size) {
      const [length = 0] = await this.#view.bytes(at, 1)
      if (length === 0) return { content: concat(parts), end: at + 1 }
      if (total < most) parts.push((await this.#view.bytesUpTo(at + 1, length)).slice())
      total += length
      at += 1 + length
    }
    return { content: concat(parts), end: this.#view.size }
  }
}

/** Colours of a table, from the flags of its descriptor. */
const coloursOf = (flags: number) => (flags & 0x80 ? 2 << (flags & 7) : 0)

/** Number of times that an animation plays: a loop count of `n` repeats it n times; 0 never ends. */
const playsOf = (loopCount: number) => (loopCount === 0 ? 0 : loopCount + 1)

export const GIF_READER: InventoryReader = {
  library: XML_LIBRARY,
  read: (source: Source, signal: AbortSignal) => new GifReading(new FileView(source, 'gif', signal)).read(),
}

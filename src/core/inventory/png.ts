/** Reads the inventory of PNG and APNG files (W3C PNG, Third Edition). */
import { crc32 } from '../bytes/crc32.ts'
import { message } from '../i18n/message.ts'
import type { Source } from '../model/codec.ts'
import { malformed } from '../model/error.ts'
import { digestOf, digestOfStream } from './digest.ts'
import { addExif } from './exif.ts'
import { Fields } from './fields.ts'
import { FileView } from './file-view.ts'
import { INFLATE_LIBRARY } from './inflate.ts'
import { type Inventory, InventoryBuilder, type InventoryReader } from './inventory.ts'
import { addCodePoints, addFrame, addLoop, addPixelShape, addProfile, addResolution, isHdrTransfer } from './picture-items.ts'
import { DataValues, isExaminedForData } from './png-data.ts'
import { addText } from './png-texts.ts'
import { partOf } from './ranges.ts'
import { addTrailingBytes } from './trailing.ts'
import { inflateZlib } from './zlib-stream.ts'

const SIGNATURE_BYTES = 8
const HEADER_BYTES = 8
const CRC_BYTES = 4
/** Longest content that is read at once. A longer chunk is one item with a digest. */
const MOST_CONTENT_BYTES = 4 * 1024 * 1024
const MOST_PROFILE_BYTES = 4 * 1024 * 1024
/** Largest file whose image data is compared with its checksums. In larger files, only the other chunks are. */
const MOST_CHECKED_BYTES = 64 * 1024 * 1024

/** Chunks that describe how pixels are stored. */
const PIXEL_CHUNKS: ReadonlySet<string> = new Set(['PLTE', 'IDAT', 'IEND', 'tRNS', 'fdAT', 'hIST', 'iDOT', 'sBIT'])
const HDR_CHUNKS: ReadonlySet<string> = new Set(['mDCV', 'cLLI', 'mDCv', 'cLLi'])

interface Chunk {
  readonly type: string
  /** Offset of the content. */
  readonly at: number
  readonly length: number
}

/** Reads one file: walks its chunks and adds the items of each. */
class PngReading {
  readonly #view: FileView
  readonly #builder = new InventoryBuilder()
  #depth = 8
  #isHdr = false
  #frames = 0
  #data: DataValues | undefined

  constructor(view: FileView) {
    this.#view = view
  }

  async read(): Promise<Inventory> {
    const end = await this.#walk()
    if (this.#isHdr) this.#builder.add('bit_depth', `bits = ${this.#depth}`)
    else await this.#data?.addTo(this.#builder)
    await addTrailingBytes(this.#builder, this.#view, end)
    return this.#builder.build()
  }

  /** Visits every chunk. Returns the offset of the first byte after IEND. */
  async #walk(): Promise<number> {
    for (let at = SIGNATURE_BYTES; at + HEADER_BYTES + CRC_BYTES <= this.#view.size; ) {
      const head = Fields.big(await this.#view.bytes(at, HEADER_BYTES))
      const [length, type] = [head.u32(0), head.text(4)]
      const chunk = { type, at: at + HEADER_BYTES, length }
      const next = chunk.at + length + CRC_BYTES
      if (next > this.#view.size) throw this.#view.malformed(at)
      await this.#checkSum(chunk)
      await this.#visit(chunk)
      if (type === 'IEND') return next
      at = next
    }
    throw this.#view.malformed(this.#view.size)
  }

  /** Compares a chunk with its checksum. @throws CodecError `malformed` */
  async #checkSum({ type, at, length }: Chunk): Promise<void> {
    if ((type === 'IDAT' || type === 'fdAT') && this.#view.size > MOST_CHECKED_BYTES) return
    let sum = 0
    for await (const piece of this.#view.chunks(at - 4, length + 4)) sum = crc32(piece, sum)
    const told = Fields.big(await this.#view.bytes(at + length, CRC_BYTES)).u32(0)
    if (sum !== told) throw malformed('png', at, message('inventory_cannot_read'))
  }

  async #visit(chunk: Chunk): Promise<void> {
    const { type, at, length } = chunk
    if (type === 'IDAT' && this.#data) return this.#data.take(at, length)
    if (type === 'eXIf') return addExif(this.#builder, partOf(this.#view, at, length))
    if (PIXEL_CHUNKS.has(type)) return
    if (length > MOST_CONTENT_BYTES) {
      this.#builder.add('chunks', `PNG ${type} ${length} bytes #${await digestOfStream(this.#view.chunks(at, length))}`)
      return
    }
    await this.#add(type, Fields.big((await this.#view.bytes(at, length)).slice()))
  }

  /** Adds the items of a chunk with content that is short enough. A chunk of a wrong length is kept as a chunk. */
  async #add(type: string, content: Fields): Promise<void> {
    const builder = this.#builder
    if (type === 'IHDR' && content.length === 13) this.#header(content)
    else if (type === 'iCCP') await this.#profile(content)
    else if (type === 'tEXt' || type === 'zTXt' || type === 'iTXt') await addText(builder, type, content.bytes)
    else if (type === 'pHYs' && content.length === 9) this.#physical(content)
    else if (type === 'acTL' && content.length === 8) addLoop(builder, content.u32(4))
    else if (type === 'fcTL' && content.length === 26) this.#frame(content)
    else if (type === 'bKGD')
      builder.add('chunks', 'bKGD') // its value follows the palette
    else if (!this.#signal(type, content)) builder.add('chunks', `PNG ${type} #${digestOf(content.bytes)}`)
  }

  #header(content: Fields): void {
    this.#depth = content.u8(8)
    if (isExaminedForData(content)) this.#data = new DataValues(this.#view, content)
  }

  #frame(content: Fields): void {
    const [numerator, denominator] = [content.u16(20), content.u16(22)]
    addFrame(this.#builder, this.#frames++, (1000 * numerator) / (denominator || 100))
  }

  #physical(content: Fields): void {
    const [x, y] = [content.u32(0), content.u32(4)]
    if (content.u8(8) === 1) addResolution(this.#builder, x, y)
    else addPixelShape(this.#builder, x, y)
  }

  /** Adds the item of a chunk about colour. False: it is another chunk. */
  #signal(type: string, content: Fields): boolean {
    const add = (item: string) => this.#builder.add('colour_signalling', item)
    this.#isHdr ||= HDR_CHUNKS.has(type)
    if (type === 'cICP' && content.length === 4) {
      addCodePoints(this.#builder, content.u8(0), content.u8(1), content.u8(3) === 1)
      this.#isHdr ||= isHdrTransfer(content.u8(1))
    } else if ((type === 'mDCV' || type === 'mDCv') && content.length === 24) add(`mastering display = ${content.hex()}`)
    else if ((type === 'cLLI' || type === 'cLLi') && content.length === 8)
      add(`light levels = ${content.u32(0) / 10_000} ${content.u32(4) / 10_000} cd/m²`)
    else if (['gAMA', 'cHRM', 'sRGB'].includes(type)) add(`${type} = ${content.hex()}`)
    else return false
    return true
  }

  async #profile(content: Fields): Promise<void> {
    const start = content.bytes.indexOf(0) + 2
    try {
      addProfile(this.#builder, await inflateZlib(content.bytes.subarray(start), MOST_PROFILE_BYTES))
    } catch {
      this.#builder.addBytes('icc_profile', 'unreadable profile', content.bytes)
    }
  }
}

export const PNG_READER: InventoryReader = {
  library: INFLATE_LIBRARY,
  read: (source: Source, signal: AbortSignal) => new PngReading(new FileView(source, 'png', signal)).read(),
}

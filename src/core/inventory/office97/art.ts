/** Items of OfficeArt and PowerPoint records ([MS-ODRAW] 2.2.1, [MS-PPT] 2.3.1). */

import { isCodecError } from '../../model/error.ts'
import type { ItemCollector } from '../collector.ts'
import { Digest, digestOfStream } from '../digest.ts'
import { Fields } from '../fields.ts'
import { inflated } from '../inflate.ts'
import type { Ranges } from '../ranges.ts'
import { chunksOf } from './runs.ts'

const HEADER_BYTES = 8
const MAX_DEPTH = 100
const TYPE = {
  fbse: 0xf007,
  slide: 0x03ee,
  notes: 0x03f0,
  master: 0x03f8,
  chars: 0x0fa0,
  bytes: 0x0fa8,
  string: 0x0fba,
  link: 0x0fd7,
} as const
/** Records of JPEG, PNG and bitmap pictures, which may be recompressed. */
const isPicture = (type: number) => type >= 0xf01d && type <= 0xf01f
const isMetafile = (type: number) => type >= 0xf01a && type <= 0xf01c
const MAX_TEXT_BYTES = 64 * 1024

interface Head {
  readonly at: number
  readonly version: number
  readonly instance: number
  readonly type: number
  readonly start: number
  readonly end: number
}

/** Adds the items of records. `name`: that of their stream. */
export class ArtItems {
  readonly #items: ItemCollector
  readonly #structure = new Digest()
  #count = 0

  constructor(items: ItemCollector) {
    this.#items = items
  }

  /**
   * Reads records one behind the other. `objects`: offsets of the only records that are read, in ascending order; bytes between them are
   * kept as they are. `undefined`: everything is records.
   */
  async read(data: Ranges, name: string, objects?: readonly number[]): Promise<void> {
    let done = 0
    for (const at of objects ?? [0]) {
      const head = at < done ? undefined : await headAt(data, at, data.size)
      if (!head) continue
      await this.#hash(chunksOf(data, done, at - done))
      done = await this.#records(data, at, objects ? head.end : data.size)
    }
    await this.#hash(chunksOf(data, done))
    this.#items.add('features', `records of ${name} = ${this.#count} #${this.#structure.finish()}`)
  }

  /** Reads the records of a range. Returns the offset behind the last one. */
  async #records(data: Ranges, from: number, to: number): Promise<number> {
    const ends: number[] = []
    for (let at = from; ; ) {
      const head = await headAt(data, at, ends.at(-1) ?? to)
      if (!head) {
        const end = ends.pop()
        if (end === undefined) return at
        await this.#hash(chunksOf(data, at, end - at))
        at = end
        continue
      }
      this.#count++
      const isEntry = head.type === TYPE.fbse
      if ((head.version === 15 || isEntry) && ends.length < MAX_DEPTH) {
        // The instance of an entry is the kind of its picture, and its fields say where the picture lies.
        this.#structure.update(`${head.version} ${isEntry ? '' : head.instance} ${head.type};`)
        this.#addKind(head.type)
        at = head.start + (isEntry ? await this.#entry(data, head) : 0)
        ends.push(head.end)
      } else {
        await this.#atom(data, head)
        at = head.end
      }
    }
  }

  #addKind(type: number): void {
    if (type === TYPE.slide) this.#items.add('sheets_and_slides', 'slide')
    else if (type === TYPE.notes) this.#items.add('sheets_and_slides', 'notes')
    else if (type === TYPE.master) this.#items.add('layouts', 'master')
    else if (type === TYPE.link) this.#items.add('links', 'link')
  }

  /** Reads the fields of an entry of the table of pictures. Returns their bytes with the name. */
  async #entry(data: Ranges, { start, end }: Head): Promise<number> {
    if (end - start < 36) return 0
    const fields = Fields.little(await data.bytes(start, 36))
    this.#structure.update(`${fields.u16(18)} ${fields.u32(24)};`)
    this.#items.add('media', fields.u32(24) === 0 ? 'unused picture' : 'picture of the table')
    const nameBytes = Math.min(fields.u8(33), end - start - 36)
    await this.#hash(chunksOf(data, start + 36, nameBytes))
    return 36 + nameBytes
  }

  async #atom(data: Ranges, { version, instance, type, start, end }: Head): Promise<void> {
    if (isPicture(type)) {
      this.#items.add('media', 'picture')
      return
    }
    if (isMetafile(type)) {
      this.#items.add('media', `metafile ${await metafileDigest(data, { version, instance, type, start, end, at: start - HEADER_BYTES })}`)
      return
    }
    this.#structure.update(`${version} ${instance} ${type} ${end - start};`)
    if (type === TYPE.chars || type === TYPE.bytes || type === TYPE.string) {
      const bytes = await data.bytes(start, Math.min(end - start, MAX_TEXT_BYTES))
      this.#items.add('texts', new TextDecoder(type === TYPE.bytes ? 'latin1' : 'utf-16le').decode(bytes))
    }
    await this.#hash(chunksOf(data, start, end - start))
  }

  async #hash(chunks: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const chunk of chunks) this.#structure.update(chunk)
  }
}

async function headAt(data: Ranges, at: number, limit: number): Promise<Head | undefined> {
  if (at + HEADER_BYTES > limit) return undefined
  const fields = Fields.little(await data.bytes(at, HEADER_BYTES))
  const [head, start] = [fields.u16(0), at + HEADER_BYTES]
  const end = start + fields.u32(4)
  return end > limit ? undefined : { at, version: head & 15, instance: head >> 4, type: fields.u16(2), start, end }
}

/** Bytes of the header of a metafile ([MS-ODRAW] 2.2.31), and of an identifier before it. */
const [METAFILE_BYTES, UID_BYTES] = [34, 16]
const MAX_METAFILE_BYTES = 256 * 1024 * 1024

/** Digest of a metafile and its identifiers. A result may have its data deflated in another way. */
async function metafileDigest(data: Ranges, { instance, start, end }: Head): Promise<string> {
  const headAt = start + UID_BYTES * (instance % 2 === 1 ? 2 : 1)
  const bodyAt = headAt + METAFILE_BYTES
  const digest = new Digest()
  if (bodyAt < end) {
    const head = Fields.little((await data.bytes(headAt, METAFILE_BYTES)).slice())
    digest
      .update((await data.bytes(start, headAt - start)).slice())
      .update(head.bytes.subarray(0, 28))
      .update(head.bytes.subarray(33))
    const isDeflated = head.u8(32) === 0
    try {
      const body = chunksOf(data, bodyAt, end - bodyAt)
      for await (const chunk of isDeflated ? inflated(body, { wrapper: 'zlib', maxBytes: MAX_METAFILE_BYTES }) : body) digest.update(chunk)
      return `#${digest.finish()}`
    } catch (error) {
      if (isCodecError(error)) throw error
      // The stored bytes of a damaged metafile must stay.
    }
  }
  return `${end - start} bytes #${await digestOfStream(chunksOf(data, start, end - start))}`
}

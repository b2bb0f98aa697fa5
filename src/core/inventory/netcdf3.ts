/**
 * Inventory reader for NetCDF-3: classic format, 64-bit offset format and 64-bit data format (NetCDF File Format Specifications, "The
 * NetCDF Classic Format Specification"): dimensions, variables, attributes, records. Only the header is read.
 */
import { YieldBudget } from '../bytes/yield.ts'
import type { Source } from '../model/codec.ts'
import { type ByteStream, streamOfFile } from './byte-stream.ts'
import { ItemCollector } from './collector.ts'
import { textOfBytes } from './decode-text.ts'
import { digestOfStream } from './digest.ts'
import { FileView } from './file-view.ts'
import type { Inventory, InventoryReader } from './inventory.ts'

export const NETCDF3_READER: InventoryReader = { read }

const VERSION_64_BIT_OFFSETS = 2
const VERSION_64_BIT_DATA = 5
const VERSIONS = [1, VERSION_64_BIT_OFFSETS, VERSION_64_BIT_DATA]
/** Marks of lists. */
const [DIMENSIONS, VARIABLES, ATTRIBUTES] = [10, 11, 12]
/** Names and bytes of the types, from number 1 on. */
const TYPES: readonly (readonly [name: string, bytes: number])[] = [
  ['byte', 1],
  ['char', 1],
  ['short', 2],
  ['int', 4],
  ['float', 4],
  ['double', 8],
  ['ubyte', 1],
  ['ushort', 2],
  ['uint', 4],
  ['int64', 8],
  ['uint64', 8],
]
const MAX_NAME_BYTES = 64 * 1024
/** Most dimensions of a file, and of a variable. The NetCDF library allows 1,024 of both unless it is built otherwise. */
const MAX_DIMENSIONS = 16_384
/** Longest header that is read, and bytes of it between two pauses for other jobs. */
const MAX_HEADER_BYTES = 16 * 1024 * 1024
const YIELD_BYTES = 256 * 1024

async function read(source: Source, signal: AbortSignal): Promise<Inventory> {
  const view = new FileView(source, 'netcdf3', signal)
  const to = new ItemCollector()
  await new Header(view, to, new YieldBudget(YIELD_BYTES, signal)).read()
  return to.build()
}

class Header {
  readonly #view: FileView
  readonly #stream: ByteStream
  readonly #to: ItemCollector
  readonly #pauses: YieldBudget
  /** Bytes of counts and sizes. */
  #countBytes = 4
  #version = 1

  constructor(view: FileView, to: ItemCollector, pauses: YieldBudget) {
    this.#view = view
    this.#stream = streamOfFile(view, 0)
    this.#to = to
    this.#pauses = pauses
  }

  async read(): Promise<void> {
    const magic = await this.#take(4)
    this.#version = magic[3]!
    if (textOfBytes(magic.subarray(0, 3)) !== 'CDF' || !VERSIONS.includes(this.#version)) throw this.#view.malformed(0)
    this.#countBytes = this.#version === VERSION_64_BIT_DATA ? 8 : 4
    const records = await this.#count()
    // All bits are 1 if a program writes on: the number of records depends on the file size.
    if (records < 256 ** this.#countBytes - 1) {
      if (records > this.#view.size) throw this.#view.malformed(4)
      this.#to.add('records', 'record', records)
    }
    const dimensions: string[] = []
    await this.#list(DIMENSIONS, async () => {
      const [name, length] = [await this.#name(), await this.#count()]
      dimensions.push(name)
      if (dimensions.length > MAX_DIMENSIONS) throw this.#malformed()
      this.#to.add('dimensions', `/${name} = ${length === 0 ? 'unlimited' : length}`)
    })
    await this.#attributes('/')
    await this.#list(VARIABLES, () => this.#variable(dimensions))
  }

  async #variable(dimensions: readonly string[]): Promise<void> {
    const name = `/${await this.#name()}`
    const rank = await this.#count()
    if (rank > MAX_DIMENSIONS) throw this.#malformed()
    const names: string[] = []
    for (let i = 0; i < rank; i++) {
      const dimension = dimensions[await this.#count()]
      if (dimension === undefined) throw this.#malformed()
      names.push(dimension)
    }
    await this.#attributes(name)
    const [type] = await this.#type()
    this.#to.add('datasets', `${name} = (${names.join(', ')}) ${type}`)
    // Size and offset of the values.
    await this.#stream.skip(this.#countBytes + (this.#version >= VERSION_64_BIT_OFFSETS ? 8 : 4))
  }

  async #attributes(owner: string): Promise<void> {
    await this.#list(ATTRIBUTES, async () => {
      const name = await this.#name()
      const [[type, bytes], count] = [await this.#type(), await this.#count()]
      if (count * bytes > this.#view.size) throw this.#malformed()
      const digest = await digestOfStream(this.#stream.chunks(count * bytes))
      await this.#stream.skip(paddingOf(count * bytes))
      this.#to.add('attributes', `${owner}@${name} = (${count}) ${type} #${digest}`)
    })
  }

  /** Reads a list: its mark, the number of its entries, the entries. An absent list has the mark 0. */
  async #list(mark: number, entry: () => Promise<void>): Promise<void> {
    const [found, count] = [await this.#number(4), await this.#count()]
    if (found !== mark && (found !== 0 || count !== 0)) throw this.#malformed()
    for (let i = 0; i < count; i++) {
      const start = this.#stream.position
      await entry()
      await this.#pauses.after(this.#stream.position - start)
      if (this.#stream.position > MAX_HEADER_BYTES) throw this.#malformed()
    }
  }

  async #name(): Promise<string> {
    const length = await this.#count()
    if (length > MAX_NAME_BYTES) throw this.#malformed()
    const name = textOfBytes(await this.#take(length))
    await this.#stream.skip(paddingOf(length))
    return name
  }

  async #type(): Promise<readonly [name: string, bytes: number]> {
    const type = TYPES[(await this.#number(4)) - 1]
    if (!type) throw this.#malformed()
    return type
  }

  #count(): Promise<number> {
    return this.#number(this.#countBytes)
  }

  /** Big-endian number. */
  async #number(length: number): Promise<number> {
    return (await this.#take(length)).reduce((value, byte) => value * 256 + byte, 0)
  }

  async #take(length: number): Promise<Uint8Array> {
    await this.#stream.fill(length)
    return this.#stream.take(length)
  }

  #malformed(): Error {
    return this.#view.malformed(this.#stream.position)
  }
}

/** Bytes after content, which is padded to a multiple of four bytes. */
const paddingOf = (bytes: number): number => (4 - (bytes % 4)) % 4

/** Messages that several objects share (HDF5 File Format Specification 4.0, III.I and IV.A.2). */
import { Cursor } from './cursor.ts'
import type { Hdf5File } from './file.ts'
import { FractalHeap } from './fractal-heap.ts'
import { MESSAGE, type Message, openHeader } from './header.ts'

/** Types of a reference: in the heap of shared messages; in the header of another object. */
const IN_HEAP = 1
const HEAP_ID_BYTES = 8
const MAX_INDEXES = 8

/** Content of a message, from wherever it is. */
export interface Resolved {
  readonly content: Cursor
  /** Address of the committed type whose message this is. `undefined`: none. */
  readonly committed: number | undefined
}

/** Heap of shared messages, and the types of messages in it as a mask. */
interface SharedHeap {
  readonly types: number
  readonly heap: FractalHeap
}

export class SharedMessages {
  readonly #file: Hdf5File
  readonly #heaps: readonly SharedHeap[]

  private constructor(file: Hdf5File, heaps: readonly SharedHeap[]) {
    this.#file = file
    this.#heaps = heaps
  }

  /** `extension`: address of the extension of the superblock, which names the table of shared messages. */
  static async open(file: Hdf5File, extension: number | undefined): Promise<SharedMessages> {
    let heaps: SharedHeap[] = []
    if (extension !== undefined)
      for await (const { type, content } of (await openHeader(file, extension)).messages())
        if (type === MESSAGE.sharedMessages) {
          content.skip(1)
          heaps = await readTable(file, content.address(), content.u8())
        }
    return new SharedMessages(file, heaps)
  }

  /** Returns the content of a message: at once, unless it is in another place. */
  resolve({ type, content, isShared }: Pick<Message, 'type' | 'content' | 'isShared'>): Resolved | Promise<Resolved> {
    return isShared ? this.#elsewhere(type, content) : { content, committed: undefined }
  }

  async #elsewhere(type: number, content: Cursor): Promise<Resolved> {
    const [version, kind] = [content.u8(), content.u8()]
    if (version >= 3 && kind === IN_HEAP) return { content: await this.inHeap(type, content.take(HEAP_ID_BYTES)), committed: undefined }
    if (version === 1) content.skip(6 + this.#file.sizes.lengthBytes)
    const committed = content.address()
    for await (const message of (await openHeader(this.#file, committed)).messages())
      if (message.type === type && !message.isShared) return { content: message.content, committed }
    throw this.#file.malformed(committed)
  }

  /** Returns a message in the heap of shared messages. */
  async inHeap(type: number, id: Uint8Array): Promise<Cursor> {
    const shared = this.#heaps.find(({ types }) => types & (1 << type))
    if (!shared) throw this.#file.malformed(undefined)
    const object = await shared.heap.object(id)
    await this.#file.spend(object.size)
    return new Cursor(await object.bytes(0, object.size), this.#file.sizes)
  }
}

async function readTable(file: Hdf5File, address: number | undefined, count: number): Promise<SharedHeap[]> {
  if (count > MAX_INDEXES) throw file.malformed(address)
  const indexBytes = 14 + 2 * file.sizes.offsetBytes
  const table = await file.checked(address, 8 + count * indexBytes, 'SMTB')
  const heaps: SharedHeap[] = []
  for (let i = 0; i < count; i++) {
    const types = table.skip(2).u16()
    table.skip(10 + file.sizes.offsetBytes)
    const heap = table.address()
    if (heap !== undefined) heaps.push({ types, heap: await FractalHeap.open(file, heap) })
  }
  return heaps
}

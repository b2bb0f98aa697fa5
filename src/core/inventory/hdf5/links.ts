/** Links of a group (HDF5 File Format Specification 4.0, IV.A.2.c and IV.A.2.g). */
import { hex } from '../../bytes/hex.ts'
import { textOfBytes } from '../decode-text.ts'
import { Cursor } from './cursor.ts'
import type { Hdf5File } from './file.ts'
import { FractalHeap } from './fractal-heap.ts'
import { treeRecords } from './tree2.ts'

/** Link of a group. `order`: its number in the order of creation, 0 if the group does not track it. */
export type Link = { readonly name: string; readonly order: number } & (
  | { readonly kind: 'hard'; readonly address: number | undefined }
  /** `value`: what the link names, for items. */
  | { readonly kind: 'soft' | 'outside' | 'other'; readonly value: string }
)

const [TRACKS_ORDER, INDEXES_ORDER] = [1, 2]
const [HAS_ORDER, HAS_TYPE, HAS_CHARACTER_SET] = [1 << 2, 1 << 3, 1 << 4]
const [HARD, SOFT, EXTERNAL] = [0, 1, 64]
const NAME_HASH_BYTES = 4

/** Storage of the links of a group. */
export interface LinkInfo {
  readonly tracksOrder: boolean
  readonly heap: number | undefined
  readonly tree: number | undefined
}

/** Parses a link info message. */
export function linkInfoOf(content: Cursor): LinkInfo {
  const flags = content.skip(1).u8()
  if (flags & TRACKS_ORDER) content.skip(8)
  const [heap, byName] = [content.address(), content.address()]
  const byOrder = flags & INDEXES_ORDER ? content.address() : undefined
  return { tracksOrder: (flags & TRACKS_ORDER) !== 0, heap, tree: byName ?? byOrder }
}

/** Yields the links of a group that has too many for its header. */
export async function* denseLinks(file: Hdf5File, { heap: address, tree }: LinkInfo): AsyncGenerator<Link> {
  if (address === undefined) return
  const heap = await FractalHeap.open(file, address)
  for await (const record of treeRecords(file, tree)) {
    const object = await heap.object(record.skip(NAME_HASH_BYTES).take(heap.idBytes))
    yield linkOf(new Cursor(await object.bytes(0, object.size), file.sizes))
  }
}

/** Parses a link message. */
export function linkOf(content: Cursor): Link {
  const flags = content.skip(1).u8()
  const type = flags & HAS_TYPE ? content.u8() : HARD
  const order = flags & HAS_ORDER ? content.unsigned(8) : 0
  if (flags & HAS_CHARACTER_SET) content.skip(1)
  const name = textOfBytes(content.take(content.unsigned(2 ** (flags & 3))))
  if (type === HARD) return { name, order, kind: 'hard', address: content.address() }
  const value = content.part(content.u16())
  if (type === SOFT) return { name, order, kind: 'soft', value: textOfBytes(value.bytes) }
  if (type !== EXTERNAL) return { name, order, kind: 'other', value: `type ${type} ${hex(value.bytes)}` }
  const file = value.skip(1).text()
  return { name, order, kind: 'outside', value: `${file} ${value.text()}` }
}

/** Plans the metadata blocks of a result: all of the original in order, without padding, with smaller pictures. */
import { concat } from '../../bytes/concat.ts'
import { latin1Of } from '../../bytes/latin1.ts'
import { ByteReader } from '../../bytes/reader.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import type { Options, Source } from '../../model/codec.ts'
import { type FlacBlock, type FlacFile, HEADER_BYTES, PADDING, PICTURE } from './file.ts'
import { MAX_PICTURE_BYTES, MAX_PICTURES_BYTES, MIN_PICTURE_BYTES } from './tuning.ts'

/** Block of a result. `body`: new content; `undefined`: the content of the original. */
export interface PlannedBlock extends FlacBlock {
  readonly body?: Uint8Array
}

export const bytesOf = ({ body, size }: PlannedBlock): number => HEADER_BYTES + (body?.length ?? size)

export async function planBlocks(source: Source, { blocks }: FlacFile, options: Options): Promise<PlannedBlock[]> {
  const planned: PlannedBlock[] = []
  let inMemory = 0
  for (const block of blocks) {
    if (block.type === PADDING) continue
    const body = block.type === PICTURE && inMemory < MAX_PICTURES_BYTES ? await smallerPicture(source, block, options) : undefined
    inMemory += body?.length ?? 0
    planned.push(body ? { ...block, body } : block)
  }
  return planned
}

/** Parts of a PICTURE block (RFC 9639, section 8.8). */
export interface FlacPicture {
  readonly mime: string
  /** Everything in front of the length of the data: type, media type, description, size in pixels. */
  readonly head: Uint8Array
  readonly data: Uint8Array
}

/** @returns `undefined` if a length in the block is wrong */
export function parsePicture(body: Uint8Array): FlacPicture | undefined {
  const reader = new ByteReader(body, false)
  if (body.length < 32) return undefined
  const mimeBytes = reader.u32(4)
  if (mimeBytes > body.length - 32) return undefined
  const descriptionBytes = reader.u32(8 + mimeBytes)
  if (descriptionBytes > body.length - 32 - mimeBytes) return undefined
  // Width, height, depth and number of colours have four bytes each.
  const lengthAt = 8 + mimeBytes + 4 + descriptionBytes + 16
  if (reader.u32(lengthAt) !== body.length - lengthAt - 4) return undefined
  return { mime: latin1Of(body.subarray(8, 8 + mimeBytes)), head: body.subarray(0, lengthAt), data: body.subarray(lengthAt + 4) }
}

/** Returns the body of a block with its picture recompressed without loss. `undefined`: it does not become smaller. */
async function smallerPicture(source: Source, { offset, size }: FlacBlock, options: Options): Promise<Uint8Array | undefined> {
  if (size < MIN_PICTURE_BYTES || size > MAX_PICTURE_BYTES) return undefined
  const picture = parsePicture((await source.read(offset, size)).slice())
  // The media type `-->` marks an address instead of a picture.
  if (!picture || picture.mime === '-->') return undefined
  const name = /png/i.test(picture.mime) ? 'cover.png' : 'cover.jpg'
  const smaller = await options.inner.compress(picture.data.slice(), name, { lossless: true })
  if (smaller.kind === 'unchanged') return undefined
  return concat([picture.head, new ByteWriter(new Uint8Array(4), false).u32(smaller.bytes.length).finish(), smaller.bytes])
}

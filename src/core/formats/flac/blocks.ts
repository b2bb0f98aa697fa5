/** Plans the metadata blocks of a result: all of the original in order, without padding, with smaller pictures. */
import { smallerPicture } from '../../containers/xiph/picture.ts'
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
    const body = block.type === PICTURE && inMemory < MAX_PICTURES_BYTES ? await smallerBlock(source, block, options) : undefined
    inMemory += body?.length ?? 0
    planned.push(body ? { ...block, body } : block)
  }
  return planned
}

/** Returns the body of a block with its picture recompressed without loss. `undefined`: it does not become smaller. */
async function smallerBlock(source: Source, { offset, size }: FlacBlock, options: Options): Promise<Uint8Array | undefined> {
  if (size < MIN_PICTURE_BYTES || size > MAX_PICTURE_BYTES) return undefined
  return await smallerPicture((await source.read(offset, size)).slice(), options)
}

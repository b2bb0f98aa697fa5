/** Mutates GIF files: screen descriptor, palettes, extensions and images as blocks. Sub-blocks stay well-formed. */
import { concat } from '../../../src/core/bytes/concat.ts'
import { withDamage, withNumber, withOne, withRearrangedItems } from '../edits.ts'
import type { Random } from '../random.ts'
import type { Mutator } from './mutator.ts'

/** A block: `head` up to the sub-blocks, `data` of the sub-blocks without their lengths (`undefined`: no sub-blocks). */
interface Block {
  readonly head: Uint8Array
  readonly data: Uint8Array | undefined
}

const [EXTENSION, PICTURE] = [0x21, 0x2c]
const paletteBytes = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)

export function blocksOf(file: Uint8Array): Block[] {
  let at = 13 + paletteBytes(file[10] ?? 0)
  const blocks: Block[] = [{ head: file.slice(0, at), data: undefined }]
  while (at < file.length) {
    const start = at
    const kind = file[at]
    if (kind !== EXTENSION && kind !== PICTURE) {
      blocks.push({ head: file.slice(at), data: undefined })
      break
    }
    at += kind === EXTENSION ? 2 : 11 + paletteBytes(file[at + 9] ?? 0)
    const head = file.slice(start, at)
    const parts: Uint8Array[] = []
    for (let length = file[at] ?? 0; at < file.length; at += length, length = file[at] ?? 0) {
      at++
      if (length === 0) break
      parts.push(file.subarray(at, at + length))
    }
    blocks.push({ head, data: concat(parts) })
  }
  return blocks
}

export function gifOfBlocks(blocks: readonly Block[]): Uint8Array {
  return concat(
    blocks.flatMap(({ head, data }) => {
      if (!data) return [head]
      const parts: Uint8Array[] = [head]
      for (let at = 0; at < data.length; at += 255) {
        const part = data.subarray(at, at + 255)
        parts.push(Uint8Array.of(part.length), part)
      }
      return [...parts, Uint8Array.of(0)]
    }),
  )
}

function changed(blocks: readonly Block[], random: Random): Block[] {
  switch (random.below(4)) {
    case 0:
      return [blocks[0]!, ...withRearrangedItems(blocks.slice(1), random)]
    case 1:
      return withOne(blocks, random, (block) => ({
        ...block,
        head: withNumber(block.head, 1 + random.below(Math.min(12, block.head.length)), random.pick([1, 2]), true, random),
      }))
    case 2:
      return withOne(blocks, random, (block) => (block.data ? { ...block, data: withDamage(block.data, random) } : block))
    default:
      return withOne(blocks, random, (block) => ({ ...block, head: withDamage(block.head, random) }))
  }
}

export const GIF_MUTATOR: Mutator = {
  container: 'GIF',
  formats: ['gif'],
  mutate: (file, random) => gifOfBlocks(changed(blocksOf(file), random)),
}

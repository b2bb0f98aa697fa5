/** Reads ranges of a file and caches recently read blocks, so that most small reads need not wait. */
import type { RangeFile } from '../../../../wasm/hdf5/hdf5.ts'
import { CACHE_BLOCK_BYTES, CACHED_BLOCKS, MAX_WHOLE_FILE_BYTES } from './tuning.ts'

interface Readable {
  readonly size: number
  read(offset: number, length: number): Promise<Uint8Array>
}

export async function rangeCache(file: Readable, keepWhole: boolean, wholeBytes = MAX_WHOLE_FILE_BYTES): Promise<RangeFile> {
  if (keepWhole || file.size <= wholeBytes) {
    const whole = new Uint8Array(file.size)
    for (let at = 0; at < file.size; at += 1 << 20) whole.set(await file.read(at, Math.min(1 << 20, file.size - at)), at)
    return { size: file.size, read: (offset, length) => whole.subarray(offset, offset + length) }
  }
  const blocks = new Map<number, Uint8Array>()
  const at = (index: number) => {
    const block = blocks.get(index)
    if (block) {
      blocks.delete(index) // moves the block to the end of the map, which is ordered by last use
      blocks.set(index, block)
    }
    return block
  }
  const cut = (offset: number, length: number): Uint8Array | undefined => {
    const first = Math.floor(offset / CACHE_BLOCK_BYTES)
    const last = Math.floor((offset + length - 1) / CACHE_BLOCK_BYTES)
    if (first === last) return at(first)?.subarray(offset - first * CACHE_BLOCK_BYTES, offset - first * CACHE_BLOCK_BYTES + length)
    const bytes = new Uint8Array(length)
    for (let index = first; index <= last; index++) {
      const block = at(index)
      if (!block) return undefined
      const from = Math.max(offset, index * CACHE_BLOCK_BYTES)
      const to = Math.min(offset + length, index * CACHE_BLOCK_BYTES + block.length)
      bytes.set(block.subarray(from - index * CACHE_BLOCK_BYTES, to - index * CACHE_BLOCK_BYTES), from - offset)
    }
    return bytes
  }
  const read = (offset: number, length: number): Uint8Array | Promise<Uint8Array> => {
    // Dataset values are read once, in long ranges, so they are not cached. Only short reads repeat.
    if (length >= CACHE_BLOCK_BYTES) return file.read(offset, length)
    const held = cut(offset, length)
    if (held) return held
    const first = Math.floor(offset / CACHE_BLOCK_BYTES)
    const last = Math.floor((offset + length - 1) / CACHE_BLOCK_BYTES)
    return file.read(first * CACHE_BLOCK_BYTES, (last - first + 1) * CACHE_BLOCK_BYTES).then((bytes) => {
      for (let index = first; index <= last; index++) {
        const from = (index - first) * CACHE_BLOCK_BYTES
        blocks.set(index, bytes.subarray(from, from + CACHE_BLOCK_BYTES))
      }
      for (const index of blocks.keys()) {
        if (blocks.size <= CACHED_BLOCKS) break
        blocks.delete(index)
      }
      return bytes.subarray(offset - first * CACHE_BLOCK_BYTES, offset - first * CACHE_BLOCK_BYTES + length)
    })
  }
  return { size: file.size, read }
}

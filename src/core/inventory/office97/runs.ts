/** Ranges of data that lies in pieces: streams of a compound file, records that continue each other. */
import { concat } from '../../bytes/concat.ts'
import { lastStartUpTo } from '../../bytes/search.ts'
import type { Ranges } from '../ranges.ts'

/** Bytes that `chunksOf` yields at most. */
const CHUNK_BYTES = 64 * 1024

export interface Run {
  readonly at: number
  readonly length: number
}

export class RunRanges implements Ranges {
  readonly size: number
  readonly #whole: Ranges
  readonly #runs: readonly Run[]
  /** Offset of each run in the data. */
  readonly #starts: Float64Array

  /** `size`: bytes of the data; runs behind it do not belong to it. */
  constructor(whole: Ranges, runs: readonly Run[], size: number) {
    this.#whole = whole
    this.#runs = runs
    this.#starts = new Float64Array(runs.length)
    let held = 0
    for (const [index, { length }] of runs.entries()) {
      this.#starts[index] = held
      held += length
    }
    this.size = Math.min(size, held)
  }

  async bytes(at: number, length: number): Promise<Uint8Array> {
    if (at < 0 || length < 0 || at + length > this.size) throw new RangeError(`${length} bytes at ${at} of ${this.size}`)
    const parts: Uint8Array[] = []
    let index = lastStartUpTo(this.#starts, this.#runs.length, at)
    for (let done = 0; done < length; index++) {
      const { at: start, length: held } = this.#runs[index]!
      const from = at + done - this.#starts[index]!
      const count = Math.min(length - done, held - from)
      const part = await this.#whole.bytes(start + from, count)
      if (count === length) return part
      parts.push(part.slice())
      done += count
    }
    return concat(parts)
  }
}

/** Yields a range in pieces. */
export async function* chunksOf(ranges: Ranges, at = 0, length = ranges.size - at): AsyncGenerator<Uint8Array> {
  for (let done = 0; done < length; done += CHUNK_BYTES) yield await ranges.bytes(at + done, Math.min(CHUNK_BYTES, length - done))
}

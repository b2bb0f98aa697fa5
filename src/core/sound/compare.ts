/** Compares two decoded sounds sample by sample. */
import { discard } from '../../../wasm/memories/discard.ts'
import { SnrMeter } from '../metrics/snr.ts'

type Samples = AsyncGenerator<readonly Float32Array[]>

export interface SoundComparison {
  readonly meter: SnrMeter
  /** Samples of each channel: of the original, and of the result. */
  readonly frames: readonly [original: number, result: number]
}

/** One of two sounds, with the position inside of its current block. */
class Side {
  readonly #samples: Samples
  block: readonly Float32Array[] = []
  at = 0
  frames = 0

  constructor(samples: Samples) {
    this.#samples = samples
  }

  get left(): number {
    return (this.block[0]?.length ?? 0) - this.at
  }

  /** Reads the next block, unless samples of the current one are left. @returns false at the end */
  async advance(): Promise<boolean> {
    while (this.left === 0) {
      this.block.forEach(discard)
      const { value, done } = await this.#samples.next()
      if (done) return false
      this.block = value
      this.at = 0
      this.frames += this.left
    }
    return true
  }

  async skipToEnd(): Promise<void> {
    while (await this.advance()) this.at += this.left
  }

  async end(): Promise<void> {
    await this.#samples.return(undefined)
  }
}

/** Compares all samples that both sounds have, and counts the samples of each. Blocks are freed. */
export async function compareSounds(original: Samples, result: Samples): Promise<SoundComparison> {
  const [a, b] = [new Side(original), new Side(result)]
  const meter = new SnrMeter()
  try {
    while ((await a.advance()) && (await b.advance())) {
      const count = Math.min(a.left, b.left)
      for (const [channel, samples] of a.block.entries())
        meter.add(samples.subarray(a.at, a.at + count), b.block[channel]?.subarray(b.at, b.at + count) ?? new Float32Array(count))
      a.at += count
      b.at += count
    }
    await a.skipToEnd()
    await b.skipToEnd()
    return { meter, frames: [a.frames, b.frames] }
  } finally {
    await a.end()
    await b.end()
  }
}

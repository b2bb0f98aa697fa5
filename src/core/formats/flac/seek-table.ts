/** Seek tables (RFC 9639, section 8.5): points of 18 bytes, which lead to frames. */
import { ByteReader } from '../../bytes/reader.ts'
import { ByteWriter } from '../../bytes/writer.ts'

const POINT_BYTES = 18
/** Sample number of a placeholder, which leads nowhere. */
const PLACEHOLDER = 2n ** 64n - 1n

export interface SeekPoint {
  /** Number of the first sample of the frame. */
  readonly sample: number
  /** Offset of the frame behind the start of the first frame, in bytes. */
  readonly offset: number
  /** Samples of each channel in the frame. */
  readonly samples: number
}

/** Returns the points of a table without its placeholders. */
export function parseSeekTable(body: Uint8Array): SeekPoint[] {
  const reader = new ByteReader(body, false)
  const points: SeekPoint[] = []
  for (let at = 0; at + POINT_BYTES <= body.length; at += POINT_BYTES) {
    if (reader.bigU64(at) === PLACEHOLDER) continue
    points.push({ sample: reader.u64(at), offset: reader.u64(at + 8), samples: reader.u16(at + 16) })
  }
  return points
}

/**
 * Table for frames of `blockSamples` samples each: one point for each frame that a point of the old table leads to. Its size is known
 * before the frames are.
 */
export class NewSeekTable {
  readonly #wanted: readonly number[]
  readonly #offsets: number[] = []
  readonly #blockSamples: number

  /** `samples`: number of samples of each channel; 0: not known. */
  constructor(old: readonly SeekPoint[], blockSamples: number, samples: number) {
    const inside = samples === 0 ? old : old.filter(({ sample }) => sample < samples)
    this.#wanted = [...new Set(inside.map(({ sample }) => Math.floor(sample / blockSamples)))].sort((a, b) => a - b)
    this.#blockSamples = blockSamples
  }

  get bytes(): number {
    return this.#wanted.length * POINT_BYTES
  }

  /** Adds a frame that was written. Frames must come in order. */
  add(frame: number, offset: number): void {
    if (this.#wanted[this.#offsets.length] === frame) this.#offsets.push(offset)
  }

  /** Table with placeholders for points behind the end. `samples`: number of samples that were written. */
  body(samples: number): Uint8Array {
    const out = new ByteWriter(new Uint8Array(this.bytes), false)
    for (const [i, frame] of this.#wanted.entries()) {
      const offset = this.#offsets[i]
      const sample = frame * this.#blockSamples
      if (offset === undefined) out.u64(PLACEHOLDER).u64(0).u16(0)
      else
        out
          .u64(sample)
          .u64(offset)
          .u16(Math.min(this.#blockSamples, samples - sample))
    }
    return out.finish()
  }
}

/** Takes samples of a picture and measures their compressed size. */

import { encodeGroup4 } from '../../bytes/ccitt/encode.ts'
import { deflateRaw } from '../../bytes/deflate.ts'
import { decodeRows, isSparse } from '../../containers/tiff/decode.ts'
import type { TiffFile } from '../../containers/tiff/directory.ts'
import { decodedBytes, isFax, type PixelStorage, rowsOf } from '../../containers/tiff/pixels.ts'
import { applyPredictor } from '../../containers/tiff/predictor.ts'
import { SAMPLES } from './tuning.ts'

export type Predictor = 1 | 2 | 3

/** Samples of a picture: all of them, and a few that suffice to compare levels. Compressed sizes are cached. */
export class PictureSamples {
  readonly all: readonly Uint8Array[]
  readonly few: readonly Uint8Array[]
  /** Share of the picture's decoded bytes that `all` holds, 0 to 1. */
  readonly share: number
  readonly #pixels: PixelStorage
  readonly #littleEndian: boolean
  readonly #tried = new Map<string, number>()

  constructor(file: TiffFile, pixels: PixelStorage, all: readonly Uint8Array[], few: readonly Uint8Array[], share: number) {
    this.all = all
    this.few = few
    this.share = share
    this.#pixels = pixels
    this.#littleEndian = file.littleEndian
  }

  static async of(file: TiffFile, pixels: PixelStorage): Promise<PictureSamples> {
    const all = await sampleRows(file, pixels)
    const few = all.filter((_, index) => index % SAMPLES.fewAreOneIn === Math.min(1, all.length - 1))
    return new PictureSamples(file, pixels, all, few, sum(all.map(({ length }) => length)) / decodedBytes(pixels))
  }

  /** Number of decoded bytes of the samples. */
  rawBytes(which: 'all' | 'few'): number {
    return sum(this[which].map(({ length }) => length))
  }

  /** Bytes of the samples with a predictor and a Deflate level. */
  deflatedBytes(which: 'all' | 'few', predictor: Predictor, level: number): number {
    const key = `${this.few === this.all || which} ${predictor} ${level}`
    const bytes = this.#tried.get(key) ?? sum(this[which].map((sample) => deflateRaw(this.#predicted(sample, predictor), level).length))
    this.#tried.set(key, bytes)
    return bytes
  }

  /** Bytes of the samples as Group 4. Infinite if the picture is not bilevel. */
  group4Bytes(): number {
    const { bits, samples, chunkWidth } = this.#pixels
    if (bits !== 1 || samples !== 1) return Number.POSITIVE_INFINITY
    return sum(this.all.map((sample) => encodeGroup4(sample, chunkWidth, sample.length)?.length ?? Number.POSITIVE_INFINITY))
  }

  #predicted(sample: Uint8Array, predictor: Predictor): Uint8Array {
    if (predictor === 1) return sample
    const rows = sample.slice()
    applyPredictor(rows, { ...this.#pixels, littleEndian: this.#littleEndian }, predictor)
    return rows
  }
}

const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0)

/** Decodes rows of some strips or tiles across the picture. Large ones give rows from several positions. */
export async function sampleRows(file: TiffFile, pixels: PixelStorage): Promise<Uint8Array<ArrayBuffer>[]> {
  const present = [...pixels.lengths.keys()].filter((index) => !isSparse(pixels, index))
  const samples: Uint8Array<ArrayBuffer>[] = []
  const sampleBytes = isFax(pixels.compression) ? SAMPLES.faxBytes : SAMPLES.bytes
  // Small strips are sampled in runs, because the result may merge them.
  const stripBytes = pixels.rowBytes * pixels.chunkHeight
  const run = pixels.tiled ? 1 : Math.max(1, Math.min(present.length, Math.floor(sampleBytes / Math.max(1, stripBytes))))
  const groups = Math.min(SAMPLES.places, Math.ceil(present.length / run))
  const stride = groups > 1 ? (present.length - run) / (groups - 1) : 0
  for (let group = 0; group < groups; group++) {
    const begin = Math.round(group * stride)
    for (const index of present.slice(begin, begin + run)) {
      for (const one of await sampleOfChunk(file, pixels, index, sampleBytes, Math.floor(SAMPLES.places / groups))) samples.push(one)
    }
  }
  return samples
}

/**
 * Takes up to `places` runs of rows from one strip or tile, of `sampleBytes` each, spread evenly. In a long strip, only from its
 * beginning.
 */
async function sampleOfChunk(
  file: TiffFile,
  pixels: PixelStorage,
  index: number,
  sampleBytes: number,
  places: number,
): Promise<Uint8Array<ArrayBuffer>[]> {
  const { rowBytes } = pixels
  const rows = Math.max(1, Math.min(rowsOf(pixels, index), Math.floor(SAMPLES.spreadBytes / rowBytes)))
  const count = Math.max(1, Math.min(places, Math.ceil((rows * rowBytes) / sampleBytes)))
  const taken = Math.max(1, Math.min(Math.floor(sampleBytes / rowBytes), Math.floor(rows / count)))
  const samples: Uint8Array<ArrayBuffer>[] = []
  let [row, filled] = [0, 0]
  for await (const block of decodeRows(file, pixels, index)) {
    const end = row + block.length / rowBytes
    while (samples.length < count || filled < taken) {
      const last = filled === 0 || filled === taken
      const place = last ? samples.length : samples.length - 1
      const from = Math.round(count > 1 ? (place * (rows - taken)) / (count - 1) : 0) + (last ? 0 : filled)
      if (from >= end) break
      if (last) {
        samples.push(new Uint8Array(taken * rowBytes))
        filled = 0
      }
      const part = block.subarray((from - row) * rowBytes, (from - row + taken - filled) * rowBytes)
      samples.at(-1)!.set(part, filled * rowBytes)
      filled += part.length / rowBytes
    }
    row = end
    if (samples.length === count && filled === taken) break
  }
  return samples
}

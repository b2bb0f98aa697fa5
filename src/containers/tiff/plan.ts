/** What becomes of each picture: its predictor, its strips, or that it is copied as it is. */
import { deflateRaw } from '../../bytes/deflate.ts'
import { checkChunkSize, decodeRows, isSparse } from './decode.ts'
import type { TiffFile } from './directory.ts'
import { COMPRESSION, type Pixels, rawBytes } from './pixels.ts'
import { difference } from './predictor.ts'

export type Plan =
  | { readonly kind: 'copy'; readonly pixels: Pixels }
  | {
      readonly kind: 'recode'
      readonly pixels: Pixels
      readonly predictor: 1 | 2 | 3
      readonly level: number
      /** Rows of a strip in the result; tiles keep theirs. */
      readonly rowsPerStrip: number
      readonly stripsPerPlane: number
    }

/** Strips below this are merged, above split, into strips of about the target. */
const SMALL_STRIP_BYTES = 128 * 1024
const LARGE_STRIP_BYTES = 4 * 1024 * 1024
const TARGET_STRIP_BYTES = 512 * 1024

const SAMPLE_CHUNKS = 8
const SAMPLE_BYTES = 128 * 1024
const TRIAL_LEVEL = 6

/** `mayRestrip`: strips may be merged and split. Otherwise every chunk keeps its place. */
export async function planPixels(file: TiffFile, pixels: Pixels, level: number, mayRestrip: boolean): Promise<Plan> {
  if (!pixels.decodable) return { kind: 'copy', pixels }
  checkChunkSize(pixels)
  const samples = await sampleRows(file, pixels)
  const candidates = predictors(pixels)
  let best: { predictor: 1 | 2 | 3; size: number } | undefined
  for (const predictor of candidates) {
    const size = trial(file, pixels, samples, predictor, TRIAL_LEVEL)
    if (!best || size < best.size) best = { predictor, size }
  }
  const predictor = best?.predictor ?? 1
  if (pixels.compression !== COMPRESSION.none && !gains(file, pixels, samples, predictor, level)) return { kind: 'copy', pixels }
  const rowsPerStrip = mayRestrip ? newRowsPerStrip(pixels) : pixels.chunkHeight
  const stripsPerPlane = pixels.tiled ? pixels.chunksPerPlane : Math.ceil(pixels.height / rowsPerStrip)
  return { kind: 'recode', pixels, predictor, level, rowsPerStrip, stripsPerPlane }
}

/** Predictors that libtiff and GDAL read for these samples. */
function predictors(pixels: Pixels): (1 | 2 | 3)[] {
  const { bits, floating } = pixels
  if (floating) return [16, 24, 32, 64].includes(bits) ? (bits === 16 || bits === 32 ? [1, 3, 2] : [1, 3]) : [1]
  return bits === 8 || bits === 16 || bits === 32 ? [1, 2] : [1]
}

function newRowsPerStrip(pixels: Pixels): number {
  const { tiled, rowBytes, chunkHeight, height, lengths } = pixels
  const stripBytes = rowBytes * chunkHeight
  const fits = stripBytes >= SMALL_STRIP_BYTES && stripBytes <= LARGE_STRIP_BYTES
  const single = chunkHeight >= height && stripBytes <= LARGE_STRIP_BYTES
  if (tiled || fits || single || lengths.some((length) => length === 0)) return chunkHeight
  const rows = Math.max(1, Math.round(TARGET_STRIP_BYTES / rowBytes))
  return Math.min(rows, height)
}

/** Some rows from the beginning of some chunks across the picture. */
async function sampleRows(file: TiffFile, pixels: Pixels): Promise<Uint8Array<ArrayBuffer>[]> {
  const present = [...pixels.lengths.keys()].filter((index) => !isSparse(pixels, index))
  const samples: Uint8Array<ArrayBuffer>[] = []
  // Small strips: several together make a sample, as they may be merged.
  const stripBytes = pixels.rowBytes * pixels.chunkHeight
  const run = pixels.tiled ? 1 : Math.max(1, Math.min(present.length, Math.floor(SAMPLE_BYTES / Math.max(1, stripBytes))))
  const groups = Math.min(SAMPLE_CHUNKS, Math.ceil(present.length / run))
  const apart = groups > 1 ? (present.length - run) / (groups - 1) : 0
  for (let group = 0; group < groups; group++) {
    const begin = Math.round(group * apart)
    for (const index of present.slice(begin, begin + run)) {
      let taken = 0
      for await (const block of decodeRows(file, pixels, index)) {
        const rows = Math.max(1, Math.floor((SAMPLE_BYTES - taken) / pixels.rowBytes))
        samples.push(block.slice(0, rows * pixels.rowBytes))
        taken += rows * pixels.rowBytes
        if (taken >= SAMPLE_BYTES) break
      }
    }
  }
  return samples
}

function trial(file: TiffFile, pixels: Pixels, samples: readonly Uint8Array[], predictor: number, level: number): number {
  let size = 0
  for (const sample of samples) {
    const rows = sample.slice()
    if (predictor !== 1) difference(rows, { ...pixels, littleEndian: file.littleEndian }, predictor)
    size += deflateRaw(rows, level).length
  }
  return size
}

/** Whether compressing anew is expected to beat what is stored. */
function gains(file: TiffFile, pixels: Pixels, samples: readonly Uint8Array[], predictor: number, level: number): boolean {
  const sampled = samples.reduce((sum, sample) => sum + sample.length, 0)
  if (sampled === 0) return false
  const stored = pixels.lengths.reduce((sum, length) => sum + length, 0)
  const expected = (trial(file, pixels, samples, predictor, level) / sampled) * rawBytes(pixels)
  return expected < stored
}

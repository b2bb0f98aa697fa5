/** Decodes WebP pictures as rows. */
import { isEngineError } from '../../../../wasm/engine-error.ts'
import { decodeWebp, WebpRows } from '../../../../wasm/webp/webp.ts'
import { concat } from '../../bytes/concat.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import { message } from '../../i18n/message.ts'
import { type Raster, stripRows } from '../../images/raster/raster.ts'
import { fitsMemoryBudget } from '../../model/budget.ts'
import type { Options, Source } from '../../model/codec.ts'
import { malformed, overBudget } from '../../model/error.ts'
import { type CodedPicture, codedChunks } from './picture.ts'
import { ALPHA_BYTES_PER_PIXEL, BASE_BYTES, COPIES_OF_FILE, LOSSLESS_BYTES_PER_PIXEL } from './tuning.ts'

/** Returns a WebP file with nothing but the chunks of `picture`. */
async function pictureFile(source: Source, { chunks }: CodedPicture): Promise<Uint8Array> {
  const parts = await codedChunks(source, chunks)
  const bytes = parts.reduce((sum, part) => sum + part.length, 4)
  return concat([new ByteWriter(new Uint8Array(12), true).ascii('RIFF').u32(bytes).ascii('WEBP').finish(), ...parts])
}

/**
 * Returns the picture as RGB, or as RGBA if it has alpha. Its coded bytes stay in memory. Iteration fails with CodecError (malformed) if
 * they are damaged.
 * @throws CodecError (over_budget) if the job has too little memory for it
 */
export async function openRaster(source: Source, picture: CodedPicture, options: Options): Promise<Raster> {
  const { width, height, lossless, hasAlpha, chunks } = picture
  const coded = chunks.reduce((sum, { size }) => sum + size, 0)
  const perPixel = lossless ? LOSSLESS_BYTES_PER_PIXEL : hasAlpha ? ALPHA_BYTES_PER_PIXEL : 0
  if (!fitsMemoryBudget(options, width * height * perPixel + COPIES_OF_FILE * coded + BASE_BYTES))
    throw overBudget(message('webp_decoding_over_memory', { width, height }))
  const file = await pictureFile(source, picture)
  const at = chunks[0]?.offset ?? 0
  const rgba = { width, height, channels: 4 as const, rows: () => rgbaRows(file, picture, at) }
  return hasAlpha ? rgba : { ...rgba, channels: 3, rows: () => opaqueRows(rgba.rows(), at) }
}

async function* rgbaRows(file: Uint8Array, { width, height, lossless }: CodedPicture, at: number): AsyncGenerator<Uint8Array> {
  let bytes = 0
  try {
    for (const strip of lossless ? wholeStrips(file, width, height) : lossyStrips(file, width, height)) {
      bytes += strip.length
      yield strip
    }
  } catch (error) {
    if (isEngineError(error, 'webp')) throw overBudget(message('webp_decoding_over_memory', { width, height }))
    throw error
  }
  if (bytes !== width * height * 4) throw malformed('webp', at, 'webp_pixels_damaged')
}

function* lossyStrips(file: Uint8Array, width: number, height: number): Generator<Uint8Array> {
  using rows = WebpRows.open(file, width, height)
  if (rows) yield* rows.strips()
}

function* wholeStrips(file: Uint8Array, width: number, height: number): Generator<Uint8Array> {
  const pixels = decodeWebp(file, width, height) ?? new Uint8Array()
  const step = stripRows(width, 4) * width * 4
  for (let from = 0; from < pixels.length; from += step) yield pixels.subarray(from, from + step)
}

async function* opaqueRows(rgba: AsyncIterable<Uint8Array>, at: number): AsyncGenerator<Uint8Array> {
  for await (const strip of rgba) {
    const out = new Uint8Array((strip.length / 4) * 3)
    for (let from = 0, to = 0; from < strip.length; from += 4, to += 3) {
      out[to] = strip[from]!
      out[to + 1] = strip[from + 1]!
      out[to + 2] = strip[from + 2]!
      if (strip[from + 3] !== 255) throw malformed('webp', at, 'webp_alpha_not_announced')
    }
    yield out
  }
}

/** Compares two PNG files at the bit depth of the upload, so that rounding from 16 to 8 bits counts as loss. */

import { discard } from '../../../../wasm/memories/discard.ts'
import { type PictureHeader, PngEngine } from '../../../../wasm/png/engine.ts'
import { type Bytes, pngRows, type RowForm } from '../../../../wasm/png/png.ts'
import { similarityOfRows, similarityTo16Bits } from '../../images/compare/compare.ts'
import type { PngPicture } from '../../images/png/png-picture.ts'
import type { Raster16 } from '../../images/raster/raster16.ts'
import type { Similarity } from '../../metrics/ssim-psnr.ts'

/**
 * Figures of a result compared with the upload. A string describes what is wrong with its rows. Both pictures have the size in `header`.
 */
export async function similarityOfPngs(original: Bytes, result: Bytes, header: PictureHeader): Promise<Similarity | string> {
  const { width, height } = header
  const bits = header.bitDepth === 16 ? 16 : 8
  const form = bits === 16 ? 'rgba16' : 'rgba8'
  const reader = { width, height, channels: 4, bits, rows: () => rowsOf(original, form) } as const
  return (await similarityOfRows(reader, rowsOf(result, form))) ?? MISSING
}

/** Figures of the picture rounded to 8 bits a sample. */
export async function similarityOfRounding(picture: () => Bytes, { width, height }: PictureHeader): Promise<Similarity | string> {
  const reference: Raster16 = { width, height, rows: () => rows16Of(picture()) }
  return (await similarityTo16Bits(reference, rowsOf(picture(), 'rgba8'))) ?? MISSING
}

const MISSING = 'the result has fewer rows than the upload'

async function* rowsOf(file: Bytes, form: RowForm): AsyncGenerator<Uint8Array> {
  for await (const { rows } of pngRows(file, form)) {
    yield rows
    discard(rows)
  }
}

async function* rows16Of(file: Bytes): AsyncGenerator<Uint16Array> {
  for await (const rows of rowsOf(file, 'rgba16')) yield new Uint16Array(rows.buffer, rows.byteOffset, rows.byteLength / 2)
}

/** Digest of all samples: equal for equal pictures, independent of colour type, bit depth and interlacing. */
export async function sampleDigest(picture: PngPicture): Promise<bigint> {
  using engine = new PngEngine(picture.header)
  engine.begin('digest')
  await picture.visit(engine)
  return engine.digest()
}

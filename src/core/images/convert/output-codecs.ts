/** Encoder and verification of each picture output format. The decoders are in `decoders.ts`. */
import { withEngines } from '../../../../wasm/loading/engine-files.ts'
import type { PictureOutput } from '../../catalog/outputs.ts'
import type { Outcome, Source } from '../../model/codec.ts'
import { encodeAvif } from '../avif/avif.ts'
import { encodeJpeg } from '../jpeg/encode.ts'
import { differenceOfJxl } from '../jxl/difference.ts'
import type { PictureMetadata, Raster } from '../raster/raster.ts'
import type { Encoder } from '../search/encode-request.ts'
import { differenceOfAvif, differenceOfPng, differenceOfWebp } from './verify-output.ts'

interface OutputCodec {
  /** Encodes a picture. `undefined` for PNG, whose encoder also takes chunks. */
  readonly encode?: Encoder
  /** Decodes a result and compares it with the picture. `undefined` for JPEG, which `verify-picture.ts` compares row by row. */
  readonly difference?: (raster: Raster, carried: PictureMetadata, result: Source, outcome: Outcome) => Promise<string | undefined>
}

const encodeJxl: Encoder = async (...picture) => await (await withEngines(import('../jxl/encode.ts'))).encodeJxl(...picture)
const encodeWebp: Encoder = async (...picture) => await (await withEngines(import('../webp/encode.ts'))).encodeWebp(...picture)

export const OUTPUT_CODECS: { readonly [output: string]: OutputCodec | undefined } = {
  jpg: { encode: encodeJpeg },
  png: { difference: differenceOfPng },
  webp: { encode: encodeWebp, difference: differenceOfWebp },
  avif: { encode: encodeAvif, difference: differenceOfAvif },
  jxl: { encode: encodeJxl, difference: differenceOfJxl },
} satisfies Readonly<Record<Exclude<PictureOutput, 'jpg' | 'png'>, Required<OutputCodec>> & Record<'jpg' | 'png', OutputCodec>>

/** Describes why `result`, a file of format `output`, does not contain the picture and its metadata. `undefined`: it does. */
export async function differenceOf(
  output: string,
  raster: Raster,
  carried: PictureMetadata,
  result: Source,
  outcome: Outcome,
): Promise<string | undefined> {
  const difference = OUTPUT_CODECS[output]?.difference
  return difference ? await difference(raster, carried, result, outcome) : `no way to verify ${output}`
}

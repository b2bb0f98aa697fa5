/** Encoder and verification of each picture output format. The decoders are in `decoders.ts`. */
import { withEngines } from '../../../../wasm/loading/engine-files.ts'
import type { PictureOutput } from '../../catalog/outputs.ts'
import { encodeAvif } from '../avif/avif.ts'
import { encodeJpeg } from '../jpeg/encode.ts'
import { differenceOfJxl } from '../jxl/difference.ts'
import type { PictureMetadata, Raster } from '../raster/raster.ts'
import type { Encoder } from '../search/encode-request.ts'
import { differenceOfPng, type MadeFile, type OutputVerdict, verdictOfAvif, verdictOfWebp } from './verify-output.ts'

interface OutputCodec {
  /** Encodes a picture. `undefined` for PNG, whose encoder also takes chunks. */
  readonly encode?: Encoder
  /** Decodes a result and compares it with the picture. `undefined` for JPEG, which `verify-picture.ts` compares row by row. */
  readonly difference?: (raster: Raster, carried: PictureMetadata, made: MadeFile) => Promise<OutputVerdict>
}

const encodeJxl: Encoder = async (...picture) => await (await withEngines(import('../jxl/encode.ts'))).encodeJxl(...picture)
const encodeWebp: Encoder = async (...picture) => await (await withEngines(import('../webp/encode.ts'))).encodeWebp(...picture)

export const OUTPUT_CODECS: { readonly [output: string]: OutputCodec | undefined } = {
  jpg: { encode: encodeJpeg },
  png: { difference: async (raster, carried, { result }) => ({ difference: await differenceOfPng(raster, carried, result) }) },
  webp: { encode: encodeWebp, difference: verdictOfWebp },
  avif: { encode: encodeAvif, difference: verdictOfAvif },
  jxl: {
    encode: encodeJxl,
    difference: async (raster, carried, { result, outcome }) => ({ difference: await differenceOfJxl(raster, carried, result, outcome) }),
  },
} satisfies Readonly<Record<Exclude<PictureOutput, 'jpg' | 'png'>, Required<OutputCodec>> & Record<'jpg' | 'png', OutputCodec>>

/** Decodes the result, a file of format `output`, and compares it with the picture and its metadata. */
export async function verdictOfOutput(output: string, raster: Raster, carried: PictureMetadata, made: MadeFile): Promise<OutputVerdict> {
  const difference = OUTPUT_CODECS[output]?.difference
  return difference ? await difference(raster, carried, made) : { difference: `no way to verify ${output}` }
}

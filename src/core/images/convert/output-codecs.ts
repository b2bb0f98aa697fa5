/** How pictures of each output are made and verified: one entry for each picture of the table of outputs. Their decoders: `decoders.ts`. */
import type { PictureOutput } from '../../catalog/outputs.ts'
import type { Outcome, Source } from '../../model/codec.ts'
import { encodeAvif } from '../avif/avif.ts'
import { encodeJpeg } from '../jpeg/encode.ts'
import type { Carried, Raster } from '../raster/raster.ts'
import type { Encoder } from '../search/encode-request.ts'
import { encodeWebp } from '../webp/encode.ts'
import { differenceOfAvif, differenceOfPng, differenceOfWebp } from './verify-output.ts'

interface OutputCodec {
  /** Encodes a picture. `undefined` for PNG, whose encoder also takes chunks. */
  readonly encode?: Encoder
  /** Decodes a result and compares it with the picture; `undefined` for JPEG, which is compared by its rows (`verify-picture.ts`). */
  readonly difference?: (raster: Raster, carried: Carried, result: Source, outcome: Outcome) => Promise<string | undefined>
}

export const OUTPUT_CODECS: { readonly [output: string]: OutputCodec | undefined } = {
  jpg: { encode: encodeJpeg },
  png: { difference: differenceOfPng },
  webp: { encode: encodeWebp, difference: differenceOfWebp },
  avif: { encode: encodeAvif, difference: differenceOfAvif },
} satisfies Readonly<Record<Exclude<PictureOutput, 'jpg' | 'png'>, Required<OutputCodec>> & Record<'jpg' | 'png', OutputCodec>>

/** Why `result`, a file of kind `output`, does not hold the picture `raster` and what it carried. `undefined`: it does. */
export async function differenceOf(
  output: string,
  raster: Raster,
  carried: Carried,
  result: Source,
  outcome: Outcome,
): Promise<string | undefined> {
  const difference = OUTPUT_CODECS[output]?.difference
  return difference ? await difference(raster, carried, result, outcome) : `no way to verify ${output}`
}

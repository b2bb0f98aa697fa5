/** What makes pictures of each output but PNG, whose encoder has chunks to carry. */
import type { PictureOutput } from '../../catalog/outputs.ts'
import { encodeAvif } from '../avif/avif.ts'
import { encodeJpeg } from '../jpeg/encode.ts'
import type { Encoder } from '../search/encode-request.ts'
import { encodeWebp } from '../webp/encode.ts'

export const ENCODERS: { readonly [output: string]: Encoder | undefined } = {
  jpg: encodeJpeg,
  webp: encodeWebp,
  avif: encodeAvif,
} satisfies Readonly<Record<Exclude<PictureOutput, 'png'>, Encoder>>

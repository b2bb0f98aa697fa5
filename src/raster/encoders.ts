/** What makes pictures of each output but PNG, whose encoder has chunks to carry. */
import type { PictureOutput } from '../core/catalog/outputs.ts'
import { encodeAvif } from './avif.ts'
import type { Encoder } from './encoded.ts'
import { encodeJpeg } from './jpeg.ts'
import { encodeWebp } from './webp.ts'

export const ENCODERS: { readonly [output: string]: Encoder | undefined } = {
  jpg: encodeJpeg,
  webp: encodeWebp,
  avif: encodeAvif,
} satisfies Readonly<Record<Exclude<PictureOutput, 'png'>, Encoder>>

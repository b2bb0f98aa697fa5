/** Formats of pictures on the fly, and the choice of the output. */
import { FORMATS, type FormatId } from '../../core/catalog/index.ts'
import { type KnownFormat, outputFacts } from '../../core/catalog/outputs.ts'

/** Formats that renditions are made from. */
export const PICTURE_FORMATS = ['jpg', 'png', 'gif', 'webp', 'avif', 'bmp', 'heic'] as const satisfies readonly FormatId[]

export const isPictureFormat = ({ id }: KnownFormat): boolean => (PICTURE_FORMATS as readonly FormatId[]).includes(id)

export const contentTypeOf = ({ id }: KnownFormat): string => outputFacts(FORMATS[id].outputs[0]).mediaType

/** Requested output. `plain`: JPEG or PNG, which every browser shows. */
export type PictureOutput = 'avif' | 'webp' | 'jpg' | 'png' | 'plain'

/** Formats whose pictures are usually drawings, or transparent. */
const DRAWN: readonly FormatId[] = ['png', 'gif', 'bmp']

/** Returns the output of a picture of this format. */
export const outputFor = (wanted: PictureOutput, format: FormatId): Exclude<PictureOutput, 'plain'> =>
  wanted === 'plain' ? (DRAWN.includes(format) ? 'png' : 'jpg') : wanted

/**
 * Outputs that are not accepted as input, one row each. To add a picture output, add its row, its facts in `PICTURE_FACTS`, its name in
 * `CONVERTED_PICTURES`, its engine in `engines.ts`, and its encoder, decoder and verification in `src/core/images/convert/`. Levels,
 * receipts, file names, the API, the console and the command line read this table.
 */
import type { PictureCapabilities, PixelLimits } from './format.ts'

export interface Output {
  /** Name of the output for people. */
  readonly title: string
  /** File extension without the dot. */
  readonly extension: string
  readonly mediaType: string
  /** Other names that callers may use for this output. */
  readonly aliases: readonly string[]
  /** True if the output wraps the whole file and its name: `notes.md.zst`. */
  readonly wraps: boolean
  /**
   * Input formats whose files can be rebuilt from the result byte for byte, although the result is a picture by itself. Such results are
   * equal at every level and effort. `undefined`: none.
   */
  readonly holdsFilesOf?: readonly string[]
  /** Largest number of pixels of a result that holds a file. */
  readonly mostPixels?: PixelLimits
  /** Bytes that identify such a file, and their offset. `undefined`: the file name identifies it. */
  readonly magic?: Magic
  /** Names of the engines that produce it (`engines.ts`). `undefined`: no additional engine. */
  readonly engines?: readonly string[]
  /** Properties that the output can store. Pictures only. */
  readonly holds?: PictureCapabilities
  readonly picture?: PictureFacts
}

interface Magic {
  readonly offset: number
  readonly bytes: readonly number[]
}

/** Properties of a picture output for the conversion. */
export interface PictureFacts {
  /** True if the output can store every sample, so that pictures whose colours would change too much stay lossless. */
  readonly exactInstead: boolean
  /** True if pixels are rotated according to the EXIF orientation, because readers of this format ignore it. */
  readonly turnedUpright: boolean
  /** Largest number of pixels of an encoder that needs the whole picture in memory. `undefined`: no limit. */
  readonly mostPixels?: PixelLimits
  /** True if readers fail on bytes after the picture, because they treat them as part of it. */
  readonly readToTheEnd: boolean
  /** Encoder quality of the first search probe, on the encoder's own scale. Half of all photographs end within ten of it. */
  readonly usualQuality: { readonly high: number; readonly medium: number; readonly low: number }
}

const GZIP: Magic = { offset: 0, bytes: [0x1f, 0x8b] }

const wrapper = (title: string, extension: string, mediaType: string, aliases: readonly string[] = [], magic?: Magic) => ({
  title,
  extension,
  mediaType,
  aliases,
  wraps: true,
  ...(magic && { magic }),
})

/** Outputs of every still picture besides JPEG and PNG. WebP and AVIF are input formats too (`formats/`). */
export const PICTURE_FACTS = {
  webp: {
    exactInstead: true,
    turnedUpright: false,
    readToTheEnd: false,
    mostPixels: { isolate: 31_000_000, roomy: 268_435_456 },
    usualQuality: { high: 88, medium: 72, low: 46 },
  },
  avif: { exactInstead: false, turnedUpright: true, readToTheEnd: true, usualQuality: { high: 68, medium: 49, low: 36 } },
  jxl: { exactInstead: true, turnedUpright: true, readToTheEnd: true, usualQuality: { high: 82, medium: 67, low: 40 } },
} as const satisfies { readonly [id: string]: PictureFacts }

export type OtherPicture = keyof typeof PICTURE_FACTS

/** Names of these outputs, in the order in which formats list them. */
export const CONVERTED_PICTURES = ['webp', 'avif', 'jxl'] as const satisfies readonly OtherPicture[]

export const OUTPUT_ONLY_FORMATS = {
  'nii.gz': {
    title: 'NIfTI, gzip',
    extension: 'nii.gz',
    mediaType: 'application/gzip',
    aliases: ['nii'],
    wraps: false,
    magic: GZIP,
  },
  jxl: {
    title: 'JPEG XL',
    extension: 'jxl',
    mediaType: 'image/jxl',
    aliases: [],
    wraps: false,
    holdsFilesOf: ['jpg'],
    mostPixels: { isolate: 16_000_000, roomy: 100_000_000 },
    holds: { alpha: true, bits: 8, frames: false, metadata: ['icc', 'exif', 'xmp'] },
    picture: PICTURE_FACTS.jxl,
    magic: { offset: 0, bytes: [0, 0, 0, 0x0c, 0x4a, 0x58, 0x4c, 0x20, 0x0d, 0x0a, 0x87, 0x0a] },
  },
  zst: wrapper('Zstandard', 'zst', 'application/zstd', ['zstd'], { offset: 0, bytes: [0x28, 0xb5, 0x2f, 0xfd] }),
  br: wrapper('Brotli', 'br', 'application/x-brotli', ['brotli']),
  gz: wrapper('gzip', 'gz', 'application/gzip', ['gzip'], GZIP),
} as const satisfies { readonly [id: string]: Output }

export type OtherOutput = keyof typeof OUTPUT_ONLY_FORMATS

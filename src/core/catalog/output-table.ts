/**
 * The outputs that are no format of their own, one row each: nothing of this kind comes in, files only become it. To add a picture
 * output, add its row and its name in `CONVERTED_PICTURES`, its engine in `engines.ts`, and its encoder, decoder and verification in
 * `src/core/images/convert/`. Formats, levels, receipts, names of files, the API, the console and the command line read the row.
 */
import type { Holds, MostPixels } from './format.ts'

export interface Output {
  /** For people. */
  readonly title: string
  /** Without the dot. */
  readonly extension: string
  readonly mediaType: string
  /** Other names by which callers ask for it. */
  readonly aliases: readonly string[]
  /** Put around a whole file, which keeps its name: `notes.md.zst`. */
  readonly wraps: boolean
  /** Bytes by which `verify` recognises such a file, and where they begin. `undefined`: it goes by the name of the file. */
  readonly magic?: Magic
  /** Names of the engines that make it (`engines.ts`). `undefined`: none of its own. */
  readonly engines?: readonly string[]
  /** What it can hold. Pictures only. */
  readonly holds?: Holds
  readonly picture?: PictureFacts
}

interface Magic {
  readonly offset: number
  readonly bytes: readonly number[]
}

/** What whoever converts pictures has to know of an output. */
export interface PictureFacts {
  /** True if it can keep every sample, for pictures that were never lossy and whose colours it would otherwise change too much. */
  readonly exactInstead: boolean
  /** True if pixels are turned as EXIF says, because readers do not. */
  readonly turnedUpright: boolean
  /** Most pixels of an encoder that has the whole picture in memory. `undefined`: no limit of its own. */
  readonly mostPixels?: MostPixels
  /** True if readers take whatever follows the picture for content of theirs, and stumble over it. */
  readonly readToTheEnd: boolean
  /** Encoder quality at which the perceptual search begins, on the encoder's own scale: half of all photographs end within ten of it. */
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

export const OTHER_OUTPUTS = {
  webp: {
    title: 'WebP',
    extension: 'webp',
    mediaType: 'image/webp',
    aliases: [],
    wraps: false,
    magic: { offset: 8, bytes: [0x57, 0x45, 0x42, 0x50] },
    engines: ['webp'],
    holds: { alpha: true, bits: 8, frames: false, metadata: ['icc', 'exif', 'xmp'] },
    picture: {
      exactInstead: true,
      turnedUpright: false,
      readToTheEnd: false,
      mostPixels: { isolate: 31_000_000, roomy: 268_435_456 },
      usualQuality: { high: 88, medium: 72, low: 46 },
    },
  },
  avif: {
    title: 'AVIF',
    extension: 'avif',
    mediaType: 'image/avif',
    aliases: [],
    wraps: false,
    magic: { offset: 4, bytes: [0x66, 0x74, 0x79, 0x70, 0x61, 0x76, 0x69] },
    engines: ['avif-decoder', 'avif-encoder'],
    // Ten bits for HDR; other pictures get eight.
    holds: { alpha: true, bits: 10, frames: false, metadata: ['icc', 'exif', 'xmp'] },
    picture: { exactInstead: false, turnedUpright: true, readToTheEnd: true, usualQuality: { high: 77, medium: 58, low: 45 } },
  },
  flac: {
    title: 'FLAC',
    extension: 'flac',
    mediaType: 'audio/flac',
    aliases: [],
    wraps: false,
    magic: { offset: 0, bytes: [0x66, 0x4c, 0x61, 0x43] },
    engines: ['flac'],
  },
  'nii.gz': {
    title: 'NIfTI, gzip',
    extension: 'nii.gz',
    mediaType: 'application/gzip',
    aliases: ['nii'],
    wraps: false,
    magic: GZIP,
  },
  zst: wrapper('Zstandard', 'zst', 'application/zstd', ['zstd'], { offset: 0, bytes: [0x28, 0xb5, 0x2f, 0xfd] }),
  br: wrapper('Brotli', 'br', 'application/x-brotli', ['brotli']),
  gz: wrapper('gzip', 'gz', 'application/gzip', ['gzip'], GZIP),
  zip: wrapper('ZIP', 'zip', 'application/zip'),
} as const satisfies { readonly [id: string]: Output }

export type OtherOutput = keyof typeof OTHER_OUTPUTS

/** Rows that are pictures. */
type PictureRow = {
  [Id in OtherOutput]: (typeof OTHER_OUTPUTS)[Id] extends { readonly picture: PictureFacts } ? Id : never
}[OtherOutput]

/** What every still picture may become besides JPEG and PNG, in the order in which formats offer it. */
export const CONVERTED_PICTURES = ['webp', 'avif'] as const satisfies readonly PictureRow[]

export type OtherPicture = (typeof CONVERTED_PICTURES)[number]

/**
 * What may come out besides the formats that come in, as facts. A new output is a row here and its engine; names of files,
 * `GET /v1/formats`, the console and the command line read this row.
 */
import type { Format, Holds, MostPixels } from './format.ts'
import { FORMATS, type FormatId } from './index.ts'

export interface Output {
  readonly title: string
  /** Without the dot. */
  readonly extension: string
  readonly mediaType: string
  /** Other names by which callers ask for it. */
  readonly aliases: readonly string[]
  /** Put around a whole file, which keeps its name: `notes.md.zst`. */
  readonly wraps: boolean
  /** Pictures only. */
  readonly holds?: Holds
  readonly picture?: PictureFacts
}

/** What whoever converts pictures has to know of an output. */
export interface PictureFacts {
  /** Where its colours keep too little of a picture that was never lossy, it can have every sample instead. */
  readonly exactInstead: boolean
  /** Pixels are turned as EXIF says, for readers that do not. */
  readonly turnedUpright: boolean
  /** Whose encoder has the whole picture in memory. */
  readonly mostPixels?: MostPixels
  /** Readers take whatever follows for content of theirs, and stumble over it. */
  readonly readToTheEnd: boolean
}

const wrapper = (title: string, extension: string, mediaType: string, ...aliases: string[]): Output => ({
  title,
  extension,
  mediaType,
  aliases,
  wraps: true,
})

const OTHERS = {
  webp: {
    title: 'WebP',
    extension: 'webp',
    mediaType: 'image/webp',
    aliases: [],
    wraps: false,
    holds: { alpha: true, bits: 8, frames: false, metadata: ['icc', 'exif', 'xmp'] },
    picture: { exactInstead: true, turnedUpright: false, readToTheEnd: false, mostPixels: { isolate: 31_000_000, roomy: 268_435_456 } },
  },
  avif: {
    title: 'AVIF',
    extension: 'avif',
    mediaType: 'image/avif',
    aliases: [],
    wraps: false,
    // Ten bits for HDR; other pictures get eight.
    holds: { alpha: true, bits: 10, frames: false, metadata: ['icc', 'exif', 'xmp'] },
    picture: { exactInstead: false, turnedUpright: true, readToTheEnd: true },
  },
  flac: { title: 'FLAC', extension: 'flac', mediaType: 'audio/flac', aliases: [], wraps: false },
  'nii.gz': { title: 'NIfTI, gzip', extension: 'nii.gz', mediaType: 'application/gzip', aliases: ['nii'], wraps: false },
  zst: wrapper('Zstandard', 'zst', 'application/zstd', 'zstd'),
  br: wrapper('Brotli', 'br', 'application/x-brotli', 'brotli'),
  gz: wrapper('gzip', 'gz', 'application/gzip', 'gzip'),
  zip: wrapper('ZIP', 'zip', 'application/zip'),
} as const satisfies { readonly [id: string]: Output }

/** Formats as they go out: the container that came in, or one of the others. */
export type OutputId = FormatId | keyof typeof OTHERS

type OtherPicture = {
  [Id in keyof typeof OTHERS]: (typeof OTHERS)[Id] extends { readonly picture: PictureFacts } ? Id : never
}[keyof typeof OTHERS]

/** What pictures are converted to; lists of encoders, decoders and engines do not compile without all of them. */
export type PictureOutput = 'jpg' | 'png' | OtherPicture

/** Of an output by name; undefined for formats that come out as themselves, which are none of these. */
export const pictureFacts = (output: string): PictureFacts | undefined => {
  const others: { readonly [id: string]: Output } = OTHERS
  return others[output]?.picture
}

/** A format of the list. */
export interface KnownFormat extends Format {
  readonly id: FormatId
  readonly outputs: readonly [OutputId, ...OutputId[]]
}

/** The facts of an output; a format that comes out is served as what it is when it comes in. */
export function outputFacts(id: OutputId): Output {
  if (id in OTHERS) return OTHERS[id as keyof typeof OTHERS]
  const format: Format = FORMATS[id as FormatId]
  return {
    title: format.title,
    extension: format.id,
    mediaType: format.mimeTypes[0],
    aliases: format.extensions.filter((name) => name !== format.id),
    wraps: false,
    ...(format.holds ? { holds: format.holds } : {}),
  }
}

/** Outputs that somebody may ask for by name, each once, in the order in which formats offer them. */
export const REQUESTABLE: readonly OutputId[] = [
  ...new Set(
    Object.values(FORMATS).flatMap((format: Format) => format.outputs.filter((id) => id !== format.id || format.outputs.length > 1)),
  ),
] as OutputId[]

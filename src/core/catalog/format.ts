/** What a format is, as data. One `format.ts` a codec; `formats/index.ts` lists them. */

/** What a kind of picture can hold. */
export interface Holds {
  /** Transparency; where not, pictures are put on white. */
  readonly alpha: boolean
  /** Most bits of a sample. */
  readonly bits: 8 | 10 | 16
  /** More than one frame. */
  readonly frames: boolean
  readonly metadata: readonly ('icc' | 'exif' | 'xmp')[]
}

export type Family =
  | 'document'
  | 'image'
  | 'video'
  | 'audio'
  | 'text'
  | 'mail'
  | 'ebook'
  | 'geo'
  | 'cad'
  | 'medical'
  | 'science'
  | 'pointcloud'

/** Pixels of a picture, or of one of a film, beyond which a job is `over_budget`. */
export interface MostPixels {
  readonly isolate: number
  /** Where a job has a gigabyte: 2^28 is the largest square that WebP holds. */
  readonly roomy: number
}

export interface Format {
  /** Unique, lower-case; also the name of the output that is the same container. */
  readonly id: string
  /** For people. */
  readonly title: string
  readonly family: Family
  /** Lower-case, without the dot; the first is the usual one. */
  readonly extensions: readonly [string, ...string[]]
  /** The first is what downloads are served as. */
  readonly mimeTypes: readonly [string, ...string[]]
  /** Byte patterns, any of which recognises the format; what needs more than bytes at an offset is in `codec/identify`. */
  readonly magic?: readonly { readonly offset: number; readonly bytes: readonly number[] }[]
  /** What may come out; the first is the default. */
  readonly outputs: readonly [string, ...string[]]
  readonly fidelity: 'lossless' | 'perceptual'
  /** `ultra` where it exists (Office, OFD). */
  readonly ultra?: true
  /** Pictures: what the container can hold. */
  readonly holds?: Holds
  /** Pictures and films whose size in memory is bounded. */
  readonly mostPixels?: MostPixels
  /** How a password is applied; default is a WinZip AES-256 archive around the result. */
  readonly password?: 'pdf' | 'ooxml'
  /** What each level aims at, for `GET /v1/formats` and the docs. */
  readonly levels?: { readonly low: string; readonly medium: string; readonly high: string; readonly ultra?: string }
}

/** Description of a format as data. `catalog/formats/` has one file per codec; `catalog/index.ts` lists them. */

/** Properties that a picture format can store. */
export interface PictureCapabilities {
  /** True if the format stores transparency. If not, pictures are placed on white. */
  readonly alpha: boolean
  /** Most bits per sample. */
  readonly bits: 8 | 10 | 16
  /** True if the format stores more than one frame. */
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
  | 'data'

/** Largest number of pixels of a picture or a film frame. A job with more is `over_budget`. */
export interface PixelLimits {
  readonly isolate: number
  /** Limit of a job with 1 GB of memory. 2^28 pixels is the largest square of WebP. */
  readonly roomy: number
}

export interface Format {
  /** Unique lower-case id. It is also the name of the output in the same format. */
  readonly id: string
  /** Name of the format for people. */
  readonly title: string
  readonly family: Family
  /** File extensions, lower-case and without the dot. The first is the usual one. */
  readonly extensions: readonly [string, ...string[]]
  /** Media types. Downloads use the first. */
  readonly mimeTypes: readonly [string, ...string[]]
  /** Byte patterns, any of which identifies the format. `pipeline/identify.ts` identifies formats that need more than that. */
  readonly magic?: readonly { readonly offset: number; readonly bytes: readonly number[] }[]
  /** Possible outputs. The first is the default, except if `isOnRequest`. */
  readonly outputs: readonly [string, ...string[]]
  /** True if such files are only compressed when the caller names an output. As `zst`, `br` and `gz` they are packed as data. */
  readonly isOnRequest?: true
  readonly fidelity: 'lossless' | 'perceptual'
  /** Outputs whose results may lose something, if the format is perceptual. `undefined`: all outputs. */
  readonly lossyOutputs?: readonly string[]
  /** True if a gentler level never gives a smaller result, so that only a missed quality floor is a reason to try it. */
  readonly gentlerIsLarger?: true
  /** True if the option `metadata` can remove the metadata of this format. */
  readonly metadata?: true
  /** True if `max_width` and `max_height` can reduce its pictures. */
  readonly resizes?: true
  /** True if it has pages or slides with pictures, whose resolution `dpi` can limit. */
  readonly hasPages?: true
  /** True if it is a picture, or a document with pictures, so that a score can be asked for (`target_score`). */
  readonly scored?: true
  /** True if the effort of the search can change the result (`effort`). Results in `zst`, `br` and `gz` always depend on it. */
  readonly hasEfforts?: true
  /** True if the level `ultra` exists (Office documents and OFD). */
  readonly ultra?: true
  /** Properties that the container can store. Pictures only. */
  readonly holds?: PictureCapabilities
  /** Limit on the number of pixels. Pictures and films only. */
  readonly mostPixels?: PixelLimits
  /** Encryption method for the `password` option. `undefined`: a WinZip AES-256 archive around the result. */
  readonly password?: 'pdf' | 'ooxml'
  /** Meaning of each level in words, for `GET /v1/formats` and the documentation. */
  readonly levels?: { readonly low: string; readonly medium: string; readonly high: string; readonly ultra?: string }
}

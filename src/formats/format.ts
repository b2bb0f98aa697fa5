/** What a format is, as data. One `format.ts` a room; `formats/index.ts` lists them. */

/** Formats as they come in. The text family shares one room, so its members are extensions of `text`. */
export type FormatId =
  | 'pdf'
  | 'ofd'
  | 'docx'
  | 'xlsx'
  | 'pptx'
  | 'jpg'
  | 'png'
  | 'tiff'
  | 'geotiff'
  | 'gif'
  | 'bmp'
  | 'svg'
  | 'mp4'
  | 'mov'
  | 'avi'
  | 'mp3'
  | 'wav'
  | 'epub'
  | 'eml'
  | 'text'
  | 'dxf'
  | 'kmz'
  | 'shapefile'
  | 'dicom'
  | 'nifti'
  | 'las'
  | 'laz'
  | 'hdf5'
  | 'netcdf'
  | 'netcdf3'

/** Formats as they go out: the container that came in, or one of the others. */
export type OutputId = FormatId | 'webp' | 'avif' | 'flac' | 'zst' | 'br' | 'gz' | 'nii.gz' | 'zip'

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

export interface Format {
  readonly id: FormatId
  /** For people. */
  readonly title: string
  readonly family: Family
  /** Lower-case, without the dot; the first is the usual one. */
  readonly extensions: readonly [string, ...string[]]
  /** The first is what downloads are served as. */
  readonly mimeTypes: readonly [string, ...string[]]
  /** Byte patterns, any of which recognises the format; what needs more than bytes at an offset is in `codec/identify`. */
  readonly magic?: readonly { readonly offset: number; readonly bytes: readonly number[] }[]
  /** Which Worker has the codec. */
  readonly worker: 'press' | 'media'
  /** Files up to this many bytes are answered in the request (quick lane); larger ones are queued. */
  readonly quickUpTo: number
  /** What may come out; the first is the default. */
  readonly outputs: readonly [OutputId, ...OutputId[]]
  readonly fidelity: 'lossless' | 'perceptual'
  /** `ultra` where it exists (Office, OFD). */
  readonly ultra?: true
  /** How a password is applied; default is a WinZip AES-256 archive around the result. */
  readonly password?: 'pdf' | 'ooxml'
  /** What each level aims at, for `GET /v1/formats` and the docs. */
  readonly levels?: { readonly low: string; readonly medium: string; readonly high: string; readonly ultra?: string }
}

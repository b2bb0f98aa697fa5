/** Recompresses the picture of an OfficeArtBlip record. */
import { isEngineError } from '../../../../wasm/engine-error.ts'
import { zlibCompress, zlibDecompress } from '../../bytes/deflate.ts'
import { equalBytes } from '../../bytes/equal.ts'
import { md4 } from '../../bytes/md4.ts'
import { readPictureHeader } from '../../embedded/image-header.ts'
import { replacementProblem, toLosslessPng } from '../../embedded/lossless-replacement.ts'
import { pictureProblem } from '../../embedded/package-codec.ts'
import { type PictureRequest, type RecompressedPicture, recompressPicture } from '../../embedded/recompress.ts'
import { MAX_PICTURE_BYTES, MIN_PICTURE_BYTES } from '../../embedded/tuning.ts'
import type { VerifiedFiles } from '../../embedded/verification-cache.ts'
import type { Inner, Options } from '../../model/codec.ts'
import { type Blip, type BlipKind, bmpOf, readBlip, readMetafile, writeBlip, writeMetafile } from './blip.ts'
import { MAX_METAFILE_BYTES } from './tuning.ts'

export interface SmallerBlip {
  readonly record: Uint8Array
  readonly before: BlipKind
  /** Identifier and kind of a new picture. `undefined`: the same metafile. */
  readonly fresh: { readonly uid: Uint8Array; readonly output: 'jpg' | 'png'; readonly picture: RecompressedPicture } | undefined
}

/** Returns options whose embedded codecs leave memory for `more` bytes of the document. */
export function besideDocument(options: Options, more: number): Options {
  const { inner } = options
  const compress: Inner['compress'] = (bytes, name, request) =>
    inner.compress(bytes, name, { ...request, containerBytes: more + (request?.containerBytes ?? 0) })
  return { ...options, inner: { ...inner, compress } }
}

/** Returns a smaller record. `undefined`: the old one stays. */
export async function smallerBlip(record: Uint8Array, shown: PictureRequest['shown'], options: Options): Promise<SmallerBlip | undefined> {
  const blip = readBlip(record)
  const bytes = blip ? record.length - blip.dataAt : 0
  if (!blip || bytes < MIN_PICTURE_BYTES || bytes > MAX_PICTURE_BYTES) return undefined
  if (blip.kind === 'metafile') return smallerMetafile(record, blip)
  const data = record.subarray(blip.dataAt)
  const request = { shown, mayBecomeJpeg: true, sizeOf: ({ length }: Uint8Array) => length, ...(options.lossless && { lossless: true }) }
  const picture = await (blip.kind === 'dib' ? fromDib(data, options, request) : fromFile(data, blip.kind, options, request))
  if (!picture || (picture.output !== 'jpg' && picture.output !== 'png') || picture.bytes.length >= data.length) return undefined
  const uid = md4(picture.bytes)
  return {
    record: writeBlip(record, blip, picture.output, picture.bytes, uid),
    before: blip.kind,
    fresh: { uid, output: picture.output, picture },
  }
}

async function fromFile(data: Uint8Array, kind: 'jpg' | 'png', options: Options, request: PictureRequest) {
  if (readPictureHeader(data)?.kind !== kind) return undefined
  return recompressPicture(data, `picture.${kind}`, options, request)
}

async function fromDib(data: Uint8Array, options: Options, request: PictureRequest): Promise<RecompressedPicture | undefined> {
  const bmp = bmpOf(data)
  const png = bmp && (await toLosslessPng(bmp))
  if (!png) return undefined
  // The verification compares at the old size, so the picture cannot have a resolution that the caller asked for.
  const { dotsPerInch: _, ...lent } = besideDocument(options, data.length)
  return (await recompressPicture(png, 'picture.png', lent, request)) ?? { bytes: png, output: 'png', downsampled: false }
}

/** Deflates a metafile again, exactly. */
function smallerMetafile(record: Uint8Array, blip: Blip): SmallerBlip | undefined {
  const metafile = readMetafile(record, blip)
  const content = metafile && contentOf(record, blip)
  if (!metafile || content?.length !== metafile.size) return undefined
  const data = zlibCompress(content)
  if (data.length >= metafile.saved) return undefined
  return { record: writeMetafile(record, blip, metafile, data), before: 'metafile', fresh: undefined }
}

/** Returns the decompressed content of a metafile. `undefined`: it is damaged or too large. */
function contentOf(record: Uint8Array, blip: Blip): Uint8Array | undefined {
  const metafile = readMetafile(record, blip)
  if (!metafile || metafile.size > MAX_METAFILE_BYTES) return undefined
  const stored = record.subarray(blip.dataAt)
  if (!metafile.isDeflated) return stored
  try {
    return zlibDecompress(stored, metafile.size)
  } catch (error) {
    if (isEngineError(error, 'deflate')) return undefined
    throw error
  }
}

/** Returns why `after` must not replace the record `before`, which differs; `undefined` if it may. */
export async function blipProblem(before: Uint8Array, after: Uint8Array, verified: VerifiedFiles | undefined): Promise<string | undefined> {
  const [old, fresh] = [readBlip(before), readBlip(after)]
  if (!old || !fresh || old.uids !== fresh.uids) return 'a record that may not change'
  if (old.kind === 'metafile') return metafileProblem([before, old], [after, fresh])
  if (fresh.kind !== 'jpg' && fresh.kind !== 'png') return 'the picture has another format'
  const data = after.subarray(fresh.dataAt)
  const expected = writeBlip(before, old, fresh.kind, data, md4(data))
  if (!equalBytes(expected, after)) return 'the head of the record does not fit the picture'
  if (readPictureHeader(data)?.kind !== fresh.kind) return 'the picture has another format'
  const stored = before.subarray(old.dataAt)
  if (old.kind !== 'dib') return pictureProblem(stored, data, { mayBecomeJpeg: true, verified })
  const bmp = bmpOf(stored)
  // `replacementProblem` frees what it gets.
  return bmp ? replacementProblem(bmp, data.slice()) : 'the bitmap cannot be read'
}

function metafileProblem([before, old]: readonly [Uint8Array, Blip], [after, fresh]: readonly [Uint8Array, Blip]): string | undefined {
  const [metafile, content, other] = [readMetafile(before, old), contentOf(before, old), contentOf(after, fresh)]
  if (!metafile || !content || !other || !equalBytes(content, other)) return 'the metafile changed'
  const expected = writeMetafile(before, old, metafile, after.subarray(fresh.dataAt))
  return equalBytes(expected, after) ? undefined : 'the head of the metafile changed'
}

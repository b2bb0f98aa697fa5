/** Writes the RIFF container of WebP (RFC 9649, 2): the encoder's chunks with the picture's metadata around them. */

import { concat } from '../../bytes/concat.ts'
import { latin1Of } from '../../bytes/latin1.ts'
import { ByteReader } from '../../bytes/reader.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import type { PictureMetadata, Raster } from '../raster/raster.ts'

const ICC = 0x20
const ALPHA = 0x10
const EXIF = 0x08
const XMP = 0x04
/** Chunks of the encoder that contain the picture; its own VP8X header is replaced. */
const PICTURE_CHUNKS = new Set(['ALPH', 'VP8 ', 'VP8L'])

/** Returns a chunk with its header and padding byte (RFC 9649, 2.3). */
export function chunk(name: string, data: Uint8Array): Uint8Array {
  const out = new Uint8Array(8 + data.length + (data.length & 1))
  return new ByteWriter(out, true).ascii(name).u32(data.length).bytes(data).finish()
}

/** Chunks of a RIFF file, in order. */
export function webpChunks(file: Uint8Array): { name: string; data: Uint8Array }[] {
  const reader = new ByteReader(file, true)
  const chunks: { name: string; data: Uint8Array }[] = []
  for (let at = 12; at + 8 <= file.length; ) {
    const length = reader.u32(at + 4)
    chunks.push({ name: latin1Of(file.subarray(at, at + 4)), data: file.subarray(at + 8, at + 8 + length) })
    at += 8 + length + (length & 1)
  }
  return chunks
}

/** Wraps a file of libwebp with the metadata. Without metadata and alpha, the file stays in the simple format. */
export function wrapWebp(
  encoded: Uint8Array,
  { icc, exif, xmp, riffChunks = [] }: PictureMetadata,
  { width, height, channels }: Omit<Raster, 'rows'>,
): Uint8Array[] {
  const inside = webpChunks(encoded).filter(({ name }) => PICTURE_CHUNKS.has(name))
  const alpha = channels === 2 || channels === 4
  const isSimple = !icc && !exif && !xmp && riffChunks.length === 0 && !inside.some(({ name }) => name === 'ALPH')
  if (isSimple) return [encoded]
  const flags = (icc ? ICC : 0) | (alpha ? ALPHA : 0) | (exif ? EXIF : 0) | (xmp ? XMP : 0)
  // VP8X payload: flags, then canvas width and height minus one.
  const header = new ByteWriter(new Uint8Array(10), true)
    .u32(flags)
    .u24(width - 1)
    .u24(height - 1)
  const chunks = [
    chunk('VP8X', header.finish()),
    ...(icc ? [chunk('ICCP', icc)] : []),
    ...inside.map(({ name, data }) => chunk(name, data)),
    ...(exif ? [chunk('EXIF', exif)] : []),
    ...(xmp ? [chunk('XMP ', xmp)] : []),
    ...riffChunks.map(({ id, data }) => chunk(id, data)),
  ]
  const bytes = chunks.reduce((sum, part) => sum + part.length, 4)
  const riff = new ByteWriter(new Uint8Array(12), true).ascii('RIFF').u32(bytes).ascii('WEBP')
  return [concat([riff.finish(), ...chunks])]
}

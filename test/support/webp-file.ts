/** WebP files for tests: chunks, still pictures and animations (RFC 9649). */
import { concat } from '../../src/core/bytes/concat.ts'
import { chunk, webpChunks } from '../../src/core/images/webp/container.ts'
import { WebpEncoder } from '../../wasm/webp/webp.ts'

/** `undefined` quality: lossless. */
export function webpOf(
  pixels: Uint8Array,
  { width, height, channels }: { readonly width: number; readonly height: number; readonly channels: 1 | 3 | 4 },
  quality?: number,
): Uint8Array {
  using encoder = new WebpEncoder(width, height, channels, quality === undefined ? 'exact' : 'means')
  encoder.write(pixels)
  // Little effort, so that Whittle finds a smaller encoding.
  encoder.encode({ quality: quality ?? 0, method: 0, lossless: quality === undefined })
  return encoder.file()
}

export function riff(...chunks: readonly Uint8Array[]): Uint8Array {
  const body = concat([new TextEncoder().encode('WEBP'), ...chunks])
  const file = concat([chunk('RIFF', new Uint8Array()), body])
  new DataView(file.buffer).setUint32(4, body.length, true)
  return file
}

/** Picture chunks of a still file, with headers. */
export const pictureChunks = (file: Uint8Array): Uint8Array[] =>
  webpChunks(file).flatMap(({ name, data }) => (name === 'VP8X' ? [] : [chunk(name, data)]))

export const FLAG = { icc: 0x20, alpha: 0x10, exif: 0x08, xmp: 0x04, animation: 0x02 } as const

export function vp8x(flags: number, width: number, height: number): Uint8Array {
  const body = new Uint8Array(10)
  const view = new DataView(body.buffer)
  view.setUint32(0, flags, true)
  view.setUint16(4, width - 1, true)
  view.setUint16(7, height - 1, true)
  return chunk('VP8X', body)
}

/** Still file with metadata and further chunks around the picture. */
export function described(
  file: Uint8Array,
  size: { readonly width: number; readonly height: number },
  { icc, exif, xmp, others = [], alpha = false }: Described,
): Uint8Array {
  const flags = (icc ? FLAG.icc : 0) | (exif ? FLAG.exif : 0) | (xmp ? FLAG.xmp : 0) | (alpha ? FLAG.alpha : 0)
  return riff(
    vp8x(flags, size.width, size.height),
    ...(icc ? [chunk('ICCP', icc)] : []),
    ...pictureChunks(file),
    ...(exif ? [chunk('EXIF', exif)] : []),
    ...(xmp ? [chunk('XMP ', xmp)] : []),
    ...others,
  )
}

interface Described {
  readonly icc?: Uint8Array
  readonly exif?: Uint8Array
  readonly xmp?: Uint8Array
  readonly others?: readonly Uint8Array[]
  readonly alpha?: boolean
}

export interface AnimationFrame {
  readonly file: Uint8Array
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly milliseconds?: number
  /** Bit 0: dispose, bit 1: do not blend. */
  readonly flags?: number
  readonly others?: readonly Uint8Array[]
}

function anmf({ file, x, y, width, height, milliseconds = 100, flags = 0, others = [] }: AnimationFrame): Uint8Array {
  const head = new Uint8Array(16)
  const view = new DataView(head.buffer)
  for (const [at, value] of [x / 2, y / 2, width - 1, height - 1, milliseconds].entries()) view.setUint16(3 * at, value, true)
  head[15] = flags
  return chunk('ANMF', concat([head, ...pictureChunks(file), ...others]))
}

export const animationOf = (size: { readonly width: number; readonly height: number }, frames: readonly AnimationFrame[]): Uint8Array =>
  riff(vp8x(FLAG.animation | FLAG.alpha, size.width, size.height), chunk('ANIM', Uint8Array.of(0, 0, 0, 0, 3, 0)), ...frames.map(anmf))

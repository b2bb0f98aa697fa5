/** JBIG2 (ITU-T T.88) as embedded in PDF (ISO 32000-2, 7.4.7): one page with one lossless generic region. */
import { equalBytes } from '../../../bytes/equal.ts'
import { PdfSyntax } from '../objects.ts'
import { MqDecoder, MqEncoder } from './mq.ts'

/** Number of contexts of template 0 with default adaptive pixels: 16 known pixels (ITU-T T.88, 6.2.5.3). */
const CONTEXTS = 65_536
/** Context of the bit that marks a row as equal to the row above (ITU-T T.88, figure 8). */
const TYPICAL_CONTEXT = 0x9b25
const PAGE_INFORMATION = 48
const IMMEDIATE_LOSSLESS_GENERIC = 39
const SEGMENT_HEADER_BYTES = 11
const PAGE_BYTES = 19
const REGION_BYTES = 26
const HEAD_BYTES = 2 * SEGMENT_HEADER_BYTES + PAGE_BYTES + REGION_BYTES
/** Adaptive pixels of template 0, as x and y offsets (ITU-T T.88, figure 3): (3,−1) (−3,−1) (2,−2) (−2,−2). */
const ADAPTIVE = [3, -1, -3, -1, 2, -2, -2, -2]
/** Region flags: template 0 with typical prediction. */
const REGION_FLAGS = 0x08

/** Pixels of a row, one per byte, with margins at both ends; 1 is black. */
class Line {
  readonly pixels: Uint8Array
  constructor(width: number) {
    this.pixels = new Uint8Array(width + 2 * MARGIN)
  }
}
const MARGIN = 4

/** Current row and the two rows above it, from which the context of each pixel is computed. */
abstract class Region {
  protected readonly width: number
  protected above2: Line
  protected above: Line
  protected current: Line
  protected typical = 0

  constructor(width: number) {
    this.width = width
    this.above2 = new Line(width)
    this.above = new Line(width)
    this.current = new Line(width)
  }

  protected advanceRow(): void {
    const free = this.above2
    this.above2 = this.above
    this.above = this.current
    this.current = free
  }
}

/** Encodes rows of packed samples of a PDF image, where 0 is black (ISO 32000-2, 7.4.7). */
export class Jbig2Encoder extends Region {
  private readonly coder: MqEncoder
  private readonly rowBytes: number
  private height = 0

  constructor(width: number, budget: number) {
    super(width)
    this.rowBytes = (width + 7) >> 3
    this.coder = new MqEncoder(CONTEXTS, Math.max(0, budget - HEAD_BYTES))
  }

  get full(): boolean {
    return this.coder.full
  }

  /** Encodes whole rows, each padded to a byte. */
  push(rows: Uint8Array): void {
    for (let at = 0; at + this.rowBytes <= rows.length && !this.full; at += this.rowBytes) this.line(rows.subarray(at, at + this.rowBytes))
  }

  /** Returns the JBIG2 stream. `undefined`: it exceeds the byte budget. */
  end(): Uint8Array | undefined {
    const data = this.coder.end()
    return this.full ? undefined : wrapped(this.width, this.height, data)
  }

  private line(row: Uint8Array): void {
    const { width, coder } = this
    const now = this.current.pixels
    const one = this.above.pixels
    const two = this.above2.pixels
    let equal = 1
    for (let x = 0; x < width; x++) {
      const pixel = ((row[x >> 3]! >> (7 - (x & 7))) & 1) ^ 1
      now[x + MARGIN] = pixel
      if (pixel !== one[x + MARGIN]) equal = 0
    }
    coder.put(TYPICAL_CONTEXT, equal ^ this.typical)
    this.typical = equal
    this.height++
    if (!equal) {
      let [a, b, c] = [(two[MARGIN]! << 1) | two[MARGIN + 1]!, (one[MARGIN]! << 2) | (one[MARGIN + 1]! << 1) | one[MARGIN + 2]!, 0]
      for (let x = 0; x < width; x++) {
        a = ((a << 1) & 31) | two[x + MARGIN + 2]!
        b = ((b << 1) & 127) | one[x + MARGIN + 3]!
        const pixel = now[x + MARGIN]!
        coder.put((a << 11) | (b << 4) | c, pixel)
        c = ((c << 1) & 15) | pixel
      }
    }
    this.advanceRow()
  }
}

/**
 * Wraps the coded data in segment 0, the page information, and segment 1, a generic region of page size (ITU-T T.88, 7.2, 7.4.8 and 7.4.6).
 */
function wrapped(width: number, height: number, data: Uint8Array): Uint8Array {
  const out = new Uint8Array(HEAD_BYTES + data.length)
  const view = new DataView(out.buffer)
  const segment = (at: number, number: number, type: number, length: number) => {
    view.setUint32(at, number)
    out[at + 4] = type
    out[at + 6] = 1
    view.setUint32(at + 7, length)
    return at + SEGMENT_HEADER_BYTES
  }
  let at = segment(0, 0, PAGE_INFORMATION, PAGE_BYTES)
  view.setUint32(at, width)
  view.setUint32(at + 4, height)
  // Page flags: the page is lossless.
  out[at + 16] = 1
  at = segment(at + PAGE_BYTES, 1, IMMEDIATE_LOSSLESS_GENERIC, REGION_BYTES + data.length)
  view.setUint32(at, width)
  view.setUint32(at + 4, height)
  out[at + 17] = REGION_FLAGS
  for (const [i, value] of ADAPTIVE.entries()) view.setInt8(at + 18 + i, value)
  out.set(data, at + REGION_BYTES)
  return out
}

/**
 * Decodes JBIG2 streams that `Jbig2Encoder` wrote. Yields rows of packed samples; 0 is black.
 * @throws PdfSyntax for any other JBIG2 stream.
 */
export function* decodeJbig2(bytes: Uint8Array, width: number, height: number): Generator<Uint8Array> {
  if (bytes.length < HEAD_BYTES) throw new PdfSyntax('jbig2_data_ends_early')
  const expected = wrapped(width, height, new Uint8Array(bytes.length - HEAD_BYTES))
  if (!equalBytes(expected.subarray(0, HEAD_BYTES), bytes.subarray(0, HEAD_BYTES))) throw new PdfSyntax('jbig2_of_another_kind')
  yield* new Jbig2Decoder(width, bytes.subarray(HEAD_BYTES)).rows(height)
}

class Jbig2Decoder extends Region {
  private readonly coder: MqDecoder

  constructor(width: number, data: Uint8Array) {
    super(width)
    this.coder = new MqDecoder(data, CONTEXTS)
  }

  *rows(height: number): Generator<Uint8Array> {
    for (let y = 0; y < height; y++) {
      const row = new Uint8Array((this.width + 7) >> 3).fill(255)
      this.typical ^= this.coder.get(TYPICAL_CONTEXT)
      if (this.typical) this.current.pixels.set(this.above.pixels)
      else this.line()
      const now = this.current.pixels
      for (let x = 0; x < this.width; x++) if (now[x + MARGIN]) row[x >> 3] = row[x >> 3]! & ~(128 >> (x & 7))
      yield row
      this.advanceRow()
    }
  }

  private line(): void {
    const now = this.current.pixels
    const one = this.above.pixels
    const two = this.above2.pixels
    let [a, b, c] = [(two[MARGIN]! << 1) | two[MARGIN + 1]!, (one[MARGIN]! << 2) | (one[MARGIN + 1]! << 1) | one[MARGIN + 2]!, 0]
    for (let x = 0; x < this.width; x++) {
      a = ((a << 1) & 31) | two[x + MARGIN + 2]!
      b = ((b << 1) & 127) | one[x + MARGIN + 3]!
      const pixel = this.coder.get((a << 11) | (b << 4) | c)
      now[x + MARGIN] = pixel
      c = ((c << 1) & 15) | pixel
    }
  }
}

/** Writing a BMP: headers that carry on what the source said, and rows from the bottom. */
import { discard } from '../../bytes/discard.ts'
import type { Sink } from '../../codec/codec.ts'
import type { BmpHeader } from './header.ts'
import { encodeRle4, encodeRle8 } from './rle.ts'

export type Form =
  | { readonly kind: 'indexed'; readonly bits: 1 | 4 | 8; readonly runs: boolean; readonly palette: Uint8Array }
  | { readonly kind: 'rgb24' }

/** Bytes of everything in front of the pixels, and the DIB header's own. V4 and V5 stay what they are: they name colour spaces. */
function layoutOf(source: BmpHeader, form: Form) {
  const keeps = source.dib.length >= 108
  const dibBytes = keeps ? source.dib.length : 40
  const paletteBytes = form.kind === 'indexed' ? (form.palette.length / 3) * 4 : 0
  return { keeps, dibBytes, pixelsAt: 14 + dibBytes + paletteBytes }
}

/** Headers for `pixelBytes` bytes of pixels. */
function headers(source: BmpHeader, form: Form, pixelBytes: number): Uint8Array {
  const { keeps, dibBytes, pixelsAt } = layoutOf(source, form)
  const out = new Uint8Array(pixelsAt)
  const view = new DataView(out.buffer)
  const profileAt = pixelsAt + pixelBytes
  if (keeps) out.set(source.dib, 14)
  out.set([0x42, 0x4d])
  view.setUint32(2, profileAt + (source.profile?.length ?? 0), true)
  view.setUint32(10, pixelsAt, true)
  view.setUint32(14, dibBytes, true)
  view.setInt32(18, source.width, true)
  view.setInt32(22, source.height, true)
  view.setUint16(26, 1, true)
  view.setUint16(28, form.kind === 'indexed' ? form.bits : 24, true)
  const compression = form.kind === 'indexed' && form.runs ? (form.bits === 8 ? 1 : 2) : 0
  view.setUint32(30, compression, true)
  view.setUint32(34, pixelBytes, true)
  view.setInt32(38, source.pixelsPerMetre[0], true)
  view.setInt32(42, source.pixelsPerMetre[1], true)
  view.setUint32(46, form.kind === 'indexed' ? form.palette.length / 3 : 0, true)
  view.setUint32(50, 0, true) // all colours are important
  if (keeps) out.fill(0, 14 + 40, 14 + 56) // masks belong to 16 and 32 bits
  if (source.profile) {
    view.setUint32(14 + 112, profileAt - 14, true)
    view.setUint32(14 + 116, source.profile.length, true)
  }
  if (form.kind === 'indexed') {
    for (let i = 0; i * 3 < form.palette.length; i++) {
      for (let c = 0; c < 3; c++) out[14 + dibBytes + 4 * i + c] = form.palette[3 * i + 2 - c] ?? 0
    }
  }
  return out
}

/** Bytes of a whole file in this form, when its pixels take `pixelBytes`. */
export function fileBytes(source: BmpHeader, form: Form, pixelBytes: number): number {
  return layoutOf(source, form).pixelsAt + pixelBytes + (source.profile?.length ?? 0)
}

export function plainBytes(source: BmpHeader, bits: number): number {
  return Math.ceil((source.width * bits) / 32) * 4 * source.height
}

/** One row of 8-bit indices (or of RGB) in the form's own bytes. */
export function packedRow(row: Uint8Array, form: Form): Uint8Array {
  if (form.kind === 'rgb24') {
    const out = new Uint8Array(Math.ceil(row.length / 4) * 4)
    for (let i = 0; i < row.length; i += 3) {
      out[i] = row[i + 2] ?? 0
      out[i + 1] = row[i + 1] ?? 0
      out[i + 2] = row[i] ?? 0
    }
    return out
  }
  if (form.runs) return form.bits === 8 ? encodeRle8(row) : encodeRle4(row)
  const out = new Uint8Array(Math.ceil((row.length * form.bits) / 32) * 4)
  if (form.bits === 8) {
    out.set(row)
    return out
  }
  row.forEach((index, i) => {
    const at = i * form.bits
    out[at >> 3] = (out[at >> 3] ?? 0) | (index << (8 - form.bits - (at & 7)))
  })
  return out
}

const END_OF_BITMAP = Uint8Array.of(0, 1)

/** Bytes the pixels take as runs; the rows are not kept. */
export class RunCounter {
  bytes = END_OF_BITMAP.length
  readonly #form: Form
  constructor(form: Form) {
    this.#form = form
  }
  add(row: Uint8Array): void {
    const packed = packedRow(row, this.#form)
    this.bytes += packed.length
    discard(packed)
  }
}

/** Writes a file whose pixel bytes are known; rows come from the bottom. */
export class BmpWriter {
  readonly #sink: Sink
  readonly #form: Form
  readonly #source: BmpHeader
  #pending: Uint8Array[] = []
  #bytes = 0
  constructor(sink: Sink, source: BmpHeader, form: Form, pixelBytes: number) {
    this.#sink = sink
    this.#form = form
    this.#source = source
    this.#pending.push(headers(source, form, pixelBytes))
  }

  row(row: Uint8Array): void {
    const packed = packedRow(row, this.#form)
    this.#bytes += packed.length
    this.#pending.push(packed)
  }

  async flush(always = false): Promise<void> {
    if (!always && this.#bytes < 256 * 1024) return
    const whole = new Uint8Array(this.#pending.reduce((sum, part) => sum + part.length, 0))
    let at = 0
    for (const part of this.#pending) {
      whole.set(part, at)
      at += part.length
      discard(part)
    }
    this.#pending = []
    this.#bytes = 0
    if (whole.length) await this.#sink.write(whole)
  }

  async end(): Promise<void> {
    if (this.#form.kind === 'indexed' && this.#form.runs) this.#pending.push(END_OF_BITMAP.slice())
    if (this.#source.profile) this.#pending.push(this.#source.profile.slice())
    await this.flush(true)
  }
}

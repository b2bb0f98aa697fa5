/** Writes a BMP: headers with the source's fields, then rows from the bottom. */

import { discard } from '../../../../wasm/memories/discard.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import type { Sink } from '../../model/codec.ts'
import type { BmpHeader } from './header.ts'
import { encodeRle4, encodeRle8, rleBytes } from './rle.ts'
import { OUTPUT_PIECE_BYTES } from './tuning.ts'

export type BmpForm =
  | { readonly kind: 'indexed'; readonly bits: 1 | 4 | 8; readonly runs: boolean; readonly palette: Uint8Array }
  | { readonly kind: 'rgb24' }

/** Sizes of headers and palette in bytes. V4 and V5 headers keep their version, because they describe colour spaces. */
function layoutOf(source: BmpHeader, form: BmpForm) {
  const keeps = source.dib.length >= 108
  const dibBytes = keeps ? source.dib.length : 40
  const paletteBytes = form.kind === 'indexed' ? (form.palette.length / 3) * 4 : 0
  const gapAt = 14 + dibBytes + paletteBytes
  return { keeps, dibBytes, gapAt, pixelsAt: gapAt + source.gap.length }
}

/** Returns the headers of a file with `pixelBytes` bytes of pixels. */
function headers(source: BmpHeader, form: BmpForm, pixelBytes: number): Uint8Array {
  const { keeps, dibBytes, gapAt, pixelsAt } = layoutOf(source, form)
  const out = new Uint8Array(pixelsAt)
  const writer = new ByteWriter(out, true)
  const profileAt = pixelsAt + pixelBytes
  if (keeps) out.set(source.dib, 14)
  out.set(source.gap, gapAt)
  writer
    .ascii('BM')
    .u32(profileAt + (source.profile?.length ?? 0))
    .u32(0) // reserved field
    .u32(pixelsAt)
    .u32(dibBytes)
    .u32(source.width)
    .u32(source.height)
    .u16(1) // colour planes
    .u16(form.kind === 'indexed' ? form.bits : 24)
    .u32(form.kind === 'indexed' && form.runs ? (form.bits === 8 ? 1 : 2) : 0)
    .u32(pixelBytes)
    .u32(source.pixelsPerMetre[0])
    .u32(source.pixelsPerMetre[1])
    .u32(form.kind === 'indexed' ? form.palette.length / 3 : 0)
    .u32(0) // 0: all colours are important
  if (keeps) out.fill(0, 14 + 40, 14 + 56) // clear the masks, which apply to 16 and 32 bits only
  if (source.profile) {
    writer
      .at(14 + 112)
      .u32(profileAt - 14)
      .u32(source.profile.length)
  }
  if (form.kind === 'indexed') {
    for (let i = 0; i * 3 < form.palette.length; i++) {
      for (let c = 0; c < 3; c++) out[14 + dibBytes + 4 * i + c] = form.palette[3 * i + 2 - c] ?? 0
    }
  }
  return out
}

/** Size in bytes of a whole file in this form with `pixelBytes` bytes of pixels. */
export function fileBytes(source: BmpHeader, form: BmpForm, pixelBytes: number): number {
  return layoutOf(source, form).pixelsAt + pixelBytes + (source.profile?.length ?? 0)
}

export function plainBytes(source: BmpHeader, bits: number): number {
  return Math.ceil((source.width * bits) / 32) * 4 * source.height
}

/** Packs rows of 8-bit indices or RGB samples into the bytes of the form. A packed row is valid until the next call. */
class RowPacker {
  readonly #form: BmpForm
  #out = new Uint8Array()
  constructor(form: BmpForm) {
    this.#form = form
  }

  pack(row: Uint8Array): Uint8Array {
    const form = this.#form
    if (form.kind === 'rgb24') {
      const out = this.#capacity(Math.ceil(row.length / 4) * 4)
      for (let i = 0; i < row.length; i += 3) {
        out[i] = row[i + 2] ?? 0
        out[i + 1] = row[i + 1] ?? 0
        out[i + 2] = row[i] ?? 0
      }
      return out
    }
    if (form.runs) {
      const out = this.#capacity(rleBytes(row.length))
      return out.subarray(0, form.bits === 8 ? encodeRle8(row, out) : encodeRle4(row, out))
    }
    const out = this.#capacity(Math.ceil((row.length * form.bits) / 32) * 4)
    if (form.bits === 8) {
      out.set(row)
      return out
    }
    out.fill(0)
    row.forEach((index, i) => {
      const at = i * form.bits
      out[at >> 3] = (out[at >> 3] ?? 0) | (index << (8 - form.bits - (at & 7)))
    })
    return out
  }

  /** Returns a buffer for a row. All rows of a picture reuse it, because nothing writes to its padding. */
  #capacity(bytes: number): Uint8Array {
    if (this.#out.length !== bytes) this.#out = new Uint8Array(bytes)
    return this.#out
  }
}

const END_OF_BITMAP = Uint8Array.of(0, 1)

/** Counts the bytes of the pixels as run lengths, without storing them. */
export class RunCounter {
  bytes = END_OF_BITMAP.length
  readonly #packer: RowPacker
  constructor(form: BmpForm) {
    this.#packer = new RowPacker(form)
  }
  add(row: Uint8Array): void {
    this.bytes += this.#packer.pack(row).length
  }
}

/** Writes a file whose pixel size is known. Rows come from the bottom. */
export class BmpWriter {
  readonly #sink: Sink
  readonly #form: BmpForm
  readonly #source: BmpHeader
  readonly #packer: RowPacker
  #full: Uint8Array[] = []
  #piece = new Uint8Array(OUTPUT_PIECE_BYTES)
  #filled = 0
  constructor(sink: Sink, source: BmpHeader, form: BmpForm, pixelBytes: number) {
    this.#sink = sink
    this.#form = form
    this.#source = source
    this.#packer = new RowPacker(form)
    this.#put(headers(source, form, pixelBytes))
  }

  #put(bytes: Uint8Array): void {
    for (let rest = bytes; rest.length > 0; ) {
      const taken = rest.subarray(0, OUTPUT_PIECE_BYTES - this.#filled)
      this.#piece.set(taken, this.#filled)
      this.#filled += taken.length
      rest = rest.subarray(taken.length)
      if (this.#filled < OUTPUT_PIECE_BYTES) continue
      this.#full.push(this.#piece)
      this.#piece = new Uint8Array(OUTPUT_PIECE_BYTES)
      this.#filled = 0
    }
  }

  row(row: Uint8Array): void {
    this.#put(this.#packer.pack(row))
  }

  /** Writes the filled output buffers to the sink. */
  async flush(): Promise<void> {
    const pieces = this.#full
    this.#full = []
    for (const piece of pieces) await this.#sink.write(piece)
  }

  async end(): Promise<void> {
    if (this.#form.kind === 'indexed' && this.#form.runs) this.#put(END_OF_BITMAP)
    if (this.#source.profile) this.#put(this.#source.profile)
    await this.flush()
    if (this.#filled > 0) await this.#sink.write(this.#piece.slice(0, this.#filled))
    discard(this.#piece)
  }
}

/**
 * A small HEVC encoder for tests: intra pictures of PCM blocks (ITU-T H.265, 7.3.8.7), 8 or 10 bits, 4:2:0. Decoded samples equal the
 * encoded ones.
 */
import { concat } from '../../src/core/bytes/concat.ts'

/** Writes bits, most significant first. */
class BitWriter {
  readonly #bytes: number[] = []
  #bits = 0
  #count = 0

  bits(value: number, count: number): this {
    for (let i = count - 1; i >= 0; i--) {
      this.#bits = (this.#bits << 1) | ((value >>> i) & 1)
      if (++this.#count === 8) {
        this.#bytes.push(this.#bits)
        this.#bits = this.#count = 0
      }
    }
    return this
  }

  /** Exp-Golomb codes (9.2). */
  ue(...values: readonly number[]): this {
    for (const value of values) {
      const length = 32 - Math.clz32(value + 1)
      this.bits(0, length - 1).bits(value + 1, length)
    }
    return this
  }

  /** Stop bit and zeros up to a whole byte (7.3.2.11). */
  stop(): this {
    this.bits(1, 1)
    while (this.#count > 0) this.bits(0, 1)
    return this
  }

  /** Zeros up to a whole byte. */
  align(): this {
    while (this.#count > 0) this.bits(0, 1)
    return this
  }

  get bytes(): Uint8Array {
    return Uint8Array.from(this.#bytes)
  }
}

/** Arithmetic encoder (9.3.4.4 mirrored) that knows one context, `part_mode`, and terminating bins. */
class Cabac {
  readonly #out: BitWriter
  #low = 0
  #range = 510
  #outstanding = 0
  #isFirst = true
  /** Context of part_mode for I slices: initValue 184 (table 9-11), at slice QP 26. */
  #state = 0

  constructor(out: BitWriter) {
    this.#out = out
    const slope = 184 >> 4
    const offset = ((184 & 15) << 3) - 16
    const value = Math.min(126, Math.max(1, (((slope * 5 - 45) * 26) >> 4) + offset))
    // The most probable symbol is 1, which part_mode has for 2Nx2N.
    this.#state = value - 64
  }

  /** Restarts the arithmetic coder after PCM samples (9.3.2.5). Contexts stay. */
  restart(): void {
    this.#low = 0
    this.#range = 510
    this.#outstanding = 0
    this.#isFirst = true
  }

  /** Encodes a bin of part_mode that equals the most probable symbol. */
  mostProbable(): void {
    this.#range -= RANGE_LPS[4 * this.#state + ((this.#range >> 6) & 3)]!
    if (this.#state < 62) this.#state++
    this.#renormalise()
  }

  terminate(bin: 0 | 1): void {
    this.#range -= 2
    if (bin === 1) {
      this.#low += this.#range
      this.#range = 2
    }
    this.#renormalise()
    if (bin === 0) return
    this.#put((this.#low >> 9) & 1)
    this.#out.bits(((this.#low >> 7) & 3) | 1, 2)
  }

  #renormalise(): void {
    while (this.#range < 256) {
      if (this.#low < 256) this.#put(0)
      else if (this.#low >= 512) {
        this.#low -= 512
        this.#put(1)
      } else {
        this.#low -= 256
        this.#outstanding++
      }
      this.#range <<= 1
      this.#low <<= 1
    }
  }

  #put(bit: number): void {
    if (this.#isFirst) this.#isFirst = false
    else this.#out.bits(bit, 1)
    for (; this.#outstanding > 0; this.#outstanding--) this.#out.bits(1 - bit, 1)
  }
}

/** Rows of table 9-46 that the context of part_mode passes through, from its first state on. */
const RANGE_LPS = `
128 176 208 240  128 167 197 227  128 158 187 216  123 150 178 205  116 142 169 195  111 135 160 185  105 128 152 175  100 122 144 166
95 116 137 158  90 110 130 150  85 104 123 142  81 99 117 135  77 94 111 128  73 89 105 122  69 85 100 116  66 80 95 110  62 76 90 104
59 72 86 99  56 69 81 94  53 65 77 89  51 62 73 85  48 59 69 80  46 56 66 76  43 53 63 72  41 50 59 69  39 48 56 65  37 45 54 62
35 43 51 59  33 41 48 56  32 39 46 53  30 37 43 50  29 35 41 48  27 33 39 45  26 31 37 43  24 30 35 41  23 28 33 39  22 27 32 37
21 26 30 35  20 24 29 33  19 23 27 31  18 22 26 30  17 21 25 28  16 20 23 27  15 19 22 25  14 18 21 24  14 17 20 23  13 16 19 22
12 15 18 21  12 14 17 20  11 14 16 19  11 13 15 18  10 12 15 17  10 12 14 16  9 11 13 15  9 11 12 14  8 10 12 14  8 9 11 13
7 9 11 12  7 9 10 12  7 8 10 11  6 8 9 11  6 7 9 10  6 7 8 9  2 2 2 2`
  .trim()
  .split(/\s+/)
  .map(Number)

/** Planes of a picture: luma, and chroma of half the size. */
export interface TestPlanes {
  readonly width: number
  readonly height: number
  readonly luma: ArrayLike<number>
  /** Blue and red difference. */
  readonly chroma: readonly [ArrayLike<number>, ArrayLike<number>]
  /** Bits a sample. Default: 8. */
  readonly bits?: 8 | 10
}

const BLOCK = 16

/** Inserts emulation prevention bytes (7.4.2) and the header of a NAL unit. */
function nalUnit(type: number, payload: Uint8Array): Uint8Array {
  const out: number[] = [type << 1, 1]
  let zeros = 0
  for (const byte of payload) {
    if (zeros >= 2 && byte <= 3) {
      out.push(3)
      zeros = 0
    }
    out.push(byte)
    zeros = byte === 0 ? zeros + 1 : 0
  }
  return Uint8Array.from(out)
}

/** Profile, tier and level (7.3.3): Main Still Picture, progressive, level 4. */
const profile = (out: BitWriter) => out.bits(0, 3).bits(3, 5).bits(0x10000000, 32).bits(0x9000, 16).bits(0, 32).bits(120, 8)

/** Returns an hvcC box's content and the access unit of one picture. */
export function hevcPicture(planes: TestPlanes): { readonly config: Uint8Array; readonly coded: Uint8Array } {
  const { width, height, bits = 8 } = planes
  const [codedWidth, codedHeight] = [Math.ceil(width / BLOCK) * BLOCK, Math.ceil(height / BLOCK) * BLOCK]
  const vps = new BitWriter().bits(0, 4).bits(3, 2).bits(0, 6).bits(0, 3).bits(1, 1).bits(0xffff, 16)
  profile(vps).bits(1, 1).ue(0, 0, 0).bits(0, 6).ue(0).bits(0, 2).stop()
  const sps = new BitWriter().bits(0, 4).bits(0, 3).bits(1, 1)
  profile(sps).ue(0, 1, codedWidth, codedHeight)
  const isCropped = codedWidth !== width || codedHeight !== height
  sps.bits(isCropped ? 1 : 0, 1)
  // Offsets of the cropping window count pairs of pixels.
  if (isCropped) sps.ue(0, (codedWidth - width) / 2, 0, (codedHeight - height) / 2)
  // bit depths; POC of 4 bits; sub layer ordering; coding blocks of 16 only; transforms of 4 to 16
  sps
    .ue(bits - 8, bits - 8, 0)
    .bits(1, 1)
    .ue(0, 0, 0, 1, 0, 0, 2, 0, 0)
  // no scaling lists, AMP or SAO; PCM with all bits, blocks of 16, without loop filter
  sps
    .bits(1, 4)
    .bits(bits - 1, 4)
    .bits(bits - 1, 4)
    .ue(1, 0)
    .bits(1, 1)
  // no reference sets, long-term references, temporal prediction, smoothing, VUI or extensions
  sps.ue(0).bits(0, 5).stop()
  const pps = new BitWriter().ue(0, 0).bits(0, 7).ue(0, 0)
  // QP 26, no constrained intra, transform skip or QP deltas; chroma offsets 0; nothing else; no deblocking
  pps.ue(0).bits(0, 3).ue(0, 0).bits(0, 6).bits(0b010101, 6).ue(0).bits(0, 2).stop()
  const units = [nalUnit(32, vps.bytes), nalUnit(33, sps.bytes), nalUnit(34, pps.bytes)]
  const slice = nalUnit(19, sliceOf(planes, codedWidth, codedHeight))
  return { config: hvcc(units, bits), coded: concat([u32(slice.length), slice]) }
}

function sliceOf({ width, height, luma, chroma, bits = 8 }: TestPlanes, codedWidth: number, codedHeight: number): Uint8Array {
  // First slice, no prior pictures, PPS 0, I slice, QP delta 0; then byte alignment.
  const out = new BitWriter().bits(1, 1).bits(0, 1).ue(0).ue(2).ue(0)
  out.stop()
  const cabac = new Cabac(out)
  const planes = [
    { samples: luma, width, height, side: BLOCK },
    ...chroma.map((samples) => ({ samples, width: Math.ceil(width / 2), height: Math.ceil(height / 2), side: BLOCK / 2 })),
  ]
  for (let y = 0; y < codedHeight; y += BLOCK) {
    for (let x = 0; x < codedWidth; x += BLOCK) {
      // part_mode 2Nx2N, pcm_flag, alignment, samples, end_of_slice_segment_flag
      cabac.mostProbable()
      cabac.terminate(1)
      out.align()
      for (const plane of planes) {
        const [left, top] = [(x / BLOCK) * plane.side, (y / BLOCK) * plane.side]
        for (let row = top; row < top + plane.side; row++)
          for (let column = left; column < left + plane.side; column++)
            out.bits(plane.samples[Math.min(row, plane.height - 1) * plane.width + Math.min(column, plane.width - 1)]!, bits)
      }
      cabac.restart()
      cabac.terminate(x + BLOCK >= codedWidth && y + BLOCK >= codedHeight ? 1 : 0)
    }
  }
  return out.align().bytes
}

const u32 = (value: number) => Uint8Array.of(value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255)

/** Content of an hvcC box (ISO/IEC 14496-15, 8.3.3.1). */
function hvcc(units: readonly Uint8Array[], bits: number): Uint8Array {
  const head = Uint8Array.of(
    1,
    3,
    ...u32(0x10000000),
    0x90,
    0,
    0,
    0,
    0,
    0,
    120,
    0xf0,
    0,
    0xfc,
    0xfd,
    0xf8 | (bits - 8),
    0xf8 | (bits - 8),
    0,
    0,
    0x0f,
    units.length,
  )
  const arrays = units.map((unit, i) => concat([Uint8Array.of(0x80 | (32 + i), 0, 1, unit.length >> 8, unit.length & 255), unit]))
  return concat([head, ...arrays])
}

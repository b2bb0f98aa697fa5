/** Bits of NAL units (Rec. ITU-T H.264, 7.2 and 9.1). */

/** Reads bits, most significant first, without the bytes that prevent start codes. Bits behind the end are 0. */
export class NalBits {
  readonly #bytes: Uint8Array
  #at = 0

  /** @param from bytes of the header, which are skipped */
  constructor(nal: Uint8Array, from: number) {
    this.#bytes = nal.filter((byte, i) => i >= from && !(byte === 3 && i >= from + 2 && nal[i - 1] === 0 && nal[i - 2] === 0))
  }

  bits(count: number): number {
    let value = 0
    for (let i = 0; i < count; i++, this.#at++) value = value * 2 + (((this.#bytes[this.#at >> 3] ?? 0) >> (7 - (this.#at & 7))) & 1)
    return value
  }

  flag(): boolean {
    return this.bits(1) === 1
  }

  skip(count: number): void {
    this.#at += count
  }

  /** Exp-Golomb code. A code of more than 32 bits counts as 0. */
  golomb(): number {
    let zeros = 0
    while (zeros < 32 && this.bits(1) === 0) zeros++
    return zeros === 32 ? 0 : 2 ** zeros - 1 + this.bits(zeros)
  }

  golombs(count: number): void {
    for (let i = 0; i < count; i++) this.golomb()
  }

  signedGolomb(): number {
    const code = this.golomb()
    return code & 1 ? (code + 1) / 2 : -code / 2
  }

  /** True if all bits have been read, and more. */
  get isBehindEnd(): boolean {
    return this.#at > 8 * this.#bytes.length
  }
}

/** Pixel shapes by `aspect_ratio_idc` (H.264, table E-1). */
const SHAPES: readonly (readonly [number, number])[] = [
  ...([
    [1, 1],
    [1, 1],
    [12, 11],
    [10, 11],
    [16, 11],
    [40, 33],
    [24, 11],
    [20, 11],
    [32, 11],
  ] as const),
  ...([
    [80, 33],
    [18, 11],
    [15, 11],
    [64, 33],
    [160, 99],
    [4, 3],
    [3, 2],
    [2, 1],
  ] as const),
]
const OWN_SHAPE = 255
const SQUARE = [1, 1] as const

/** Colours as code points (ISO/IEC 23091-2). 2: unspecified. */
export interface StreamColours {
  readonly primaries: number
  readonly transfer: number
  readonly matrix: number
  readonly isFullRange: boolean
}

/** What the start of the video usability information tells (H.264, E.1.1; H.265, E.2.1). */
export interface Usability {
  readonly pixelShape: readonly [number, number]
  /** `undefined`: not told. */
  readonly colours: StreamColours | undefined
}

export const NO_USABILITY: Usability = { pixelShape: [1, 1], colours: undefined }

export function usabilityIn(bits: NalBits): Usability {
  const code = bits.flag() ? bits.bits(8) : 0
  const told = code === OWN_SHAPE ? ([bits.bits(16), bits.bits(16)] as const) : (SHAPES[code] ?? SQUARE)
  const pixelShape = told[0] > 0 && told[1] > 0 ? told : SQUARE
  if (bits.flag()) bits.skip(1)
  if (!bits.flag()) return { pixelShape, colours: undefined }
  bits.skip(3)
  const isFullRange = bits.flag()
  const [primaries = 2, transfer = 2, matrix = 2] = bits.flag() ? [bits.bits(8), bits.bits(8), bits.bits(8)] : []
  return { pixelShape, colours: { primaries, transfer, matrix, isFullRange } }
}

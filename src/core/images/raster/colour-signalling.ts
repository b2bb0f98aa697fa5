/**
 * Colour signalling: code points of ITU-T H.273 (PNG: cICP, ISO media files: colr nclx). For HDR also the mastering display and the light
 * levels (PNG: mDCV and cLLI, ISO media files: mdcv and clli).
 */
import { ByteReader } from '../../bytes/reader.ts'
import { box, halfWords, latin1Bytes } from '../../containers/isobmff/box.ts'

export interface ColourSignalling {
  /** Colour primaries (H.273, 8.1): 1 BT.709 and sRGB, 9 BT.2020, 12 Display P3; 2: not specified. */
  readonly primaries: number
  /** Transfer characteristics (H.273, 8.2): 13 sRGB, 16 PQ, 18 HLG; 2: not specified. */
  readonly transfer: number
  readonly fullRange: boolean
  /**
   * Mastering display as in PNG's mDCV: x and y of red, green, blue and white in units of 0.00002, then highest and lowest luminance in
   * units of 0.0001 cd/m².
   */
  readonly mastering?: Uint8Array
  /** Light levels as in PNG's cLLI: brightest pixel and highest frame average, in units of 0.0001 cd/m². */
  readonly lightLevel?: Uint8Array
}

export const PQ = 16
export const HLG = 18

const TRANSFER_NAMES: { readonly [transfer: number]: string } = { 8: 'linear light', 13: 'sRGB', [PQ]: 'PQ', [HLG]: 'HLG' }
const PRIMARIES_NAMES: { readonly [primaries: number]: string } = { 1: 'BT.709', 9: 'BT.2020', 11: 'DCI-P3', 12: 'Display P3' }

/** Name of primaries and transfer function for the receipt, such as `BT.2020 PQ`. */
export const nameOfSignalling = ({ primaries, transfer }: ColourSignalling): string =>
  `${PRIMARIES_NAMES[primaries] ?? `primaries ${primaries}`} ${TRANSFER_NAMES[transfer] ?? `transfer ${transfer}`}`

/** True if the picture is HDR, which 8-bit SDR formats cannot store. */
export const isHdr = ({ transfer }: ColourSignalling): boolean => transfer === PQ || transfer === HLG

/** Returns an nclx property (ISO/IEC 14496-12, 12.1.5). `coded`: that of the encoder, without box header, with its matrix and range. */
export const nclxBox = ({ primaries, transfer }: ColourSignalling, coded: Uint8Array): Uint8Array =>
  box('colr', latin1Bytes('nclx'), halfWords(primaries, transfer), coded.slice(8, 11))

/**
 * Returns the mdcv and clli boxes. PNG lists primaries as red, green, blue (11.3.2.7); ISO media files as green, blue, red (H.265,
 * D.3.28).
 */
export function lightBoxes({ mastering, lightLevel }: ColourSignalling): Uint8Array[] {
  const found: Uint8Array[] = []
  if (mastering) {
    const [red, green, blue, rest] = [0, 4, 8, 12].map((at, i) => mastering.subarray(at, i === 3 ? 24 : at + 4))
    found.push(box('mdcv', green!, blue!, red!, rest!))
  }
  if (lightLevel) {
    const reader = new ByteReader(lightLevel, false)
    // clli has whole cd/m²; round up, so that a level above zero stays above zero.
    const level = (at: number) => Math.min(65_535, Math.ceil(reader.u32(at) / 10_000))
    found.push(box('clli', halfWords(level(0), level(4))))
  }
  return found
}

/**
 * Returns `data`, which starts with AV1 OBUs, with the primaries and transfer function of `signalling` in the sequence header. Unchanged
 * if the header has no colour description.
 */
export function signalledSequence(data: Uint8Array, { primaries, transfer }: ColourSignalling): Uint8Array {
  const start = sequenceHeaderAt(data)
  const at = start === undefined ? undefined : colourBitsAt(data, start * 8)
  if (at === undefined) return data
  const out = data.slice()
  writeBits(out, at, primaries)
  writeBits(out, at + 8, transfer)
  return out
}

/** Offset of the sequence header's payload (AV1, 5.3 and 5.5), which may follow a temporal delimiter. */
function sequenceHeaderAt(data: Uint8Array): number | undefined {
  for (let at = 0; at + 2 < data.length; ) {
    const type = (data[at]! >> 3) & 15
    const [hasExtension, hasSize] = [(data[at]! & 4) !== 0, (data[at]! & 2) !== 0]
    at += hasExtension ? 2 : 1
    if (!hasSize) return undefined
    // Sizes are leb128. One byte suffices, because the first OBUs of a still picture are shorter than 128 bytes.
    const size = data[at++]!
    if (size > 127) return undefined
    if (type === 1) return at
    at += size
  }
  return undefined
}

/** Bit offset of colour_primaries (AV1, 5.5.1 and 5.5.2). `undefined`: there are none, or the header is not that of a still picture. */
function colourBitsAt(data: Uint8Array, start: number): number | undefined {
  let at = start
  const read = (count: number) => {
    let value = 0
    for (let i = 0; i < count; i++, at++) value = value * 2 + ((data[at >> 3]! >> (7 - (at & 7))) & 1)
    return value
  }
  const profile = read(3)
  const [isStill, isReduced] = [read(1), read(1)]
  if (!isStill || !isReduced) return undefined
  read(5)
  const [widthBits, heightBits] = [read(4) + 1, read(4) + 1]
  at += widthBits + heightBits
  // Skip use_128x128_superblock, enable_filter_intra, enable_intra_edge_filter, enable_superres, enable_cdef and enable_restoration.
  at += 6
  const isDeep = read(1)
  if (profile === 2 && isDeep) read(1)
  if (profile !== 1 && read(1)) return undefined
  return read(1) ? at : undefined
}

function writeBits(data: Uint8Array, at: number, value: number): void {
  for (let i = 0; i < 8; i++) {
    const bit = 7 - ((at + i) & 7)
    const byte = (at + i) >> 3
    data[byte] = (data[byte]! & ~(1 << bit)) | (((value >> (7 - i)) & 1) << bit)
  }
}

/** True if an nclx property (without box header) has the primaries and transfer function of `signalling`. */
export function hasSameCodePoints(nclx: Uint8Array, { primaries, transfer }: ColourSignalling): boolean {
  const view = new ByteReader(nclx, false)
  return nclx.length >= 10 && view.u16(4) === primaries && view.u16(6) === transfer
}

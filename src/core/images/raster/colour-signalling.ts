/**
 * How decoders are told what samples mean: code points of ITU-T H.273 (PNG: cICP, ISO media files: colr nclx), and for HDR the display
 * that the picture was made on and how bright it gets (PNG: mDCV and cLLI, ISO media files: mdcv and clli).
 */
import { ByteReader } from '../../bytes/reader.ts'
import { box, halfWords, text } from '../../containers/isobmff/box.ts'

export interface ColourSignalling {
  /** H.273, 8.1: 1 BT.709 and sRGB, 9 BT.2020, 12 Display P3. 2: not specified. */
  readonly primaries: number
  /** H.273, 8.2: 13 sRGB, 16 PQ, 18 HLG. 2: not specified. */
  readonly transfer: number
  readonly fullRange: boolean
  /** As in PNG's mDCV: x and y of red, green, blue and white in 0.00002, most and least luminance in 0.0001 cd/m². */
  readonly mastering?: Uint8Array
  /** As in PNG's cLLI: brightest pixel and brightest mean of a picture, in 0.0001 cd/m². */
  readonly lightLevel?: Uint8Array
}

export const PQ = 16
export const HLG = 18

const TRANSFER_NAMES: { readonly [transfer: number]: string } = { 8: 'linear light', 13: 'sRGB', [PQ]: 'PQ', [HLG]: 'HLG' }
const PRIMARIES_NAMES: { readonly [primaries: number]: string } = { 1: 'BT.709', 9: 'BT.2020', 11: 'DCI-P3', 12: 'Display P3' }

/** Name for the receipt, such as `BT.2020 PQ`. */
export const nameOfSignalling = ({ primaries, transfer }: ColourSignalling): string =>
  `${PRIMARIES_NAMES[primaries] ?? `primaries ${primaries}`} ${TRANSFER_NAMES[transfer] ?? `transfer ${transfer}`}`

/** True if eight bits of an SDR format cannot hold the picture. */
export const isHdr = ({ transfer }: ColourSignalling): boolean => transfer === PQ || transfer === HLG

/** An nclx property (ISO/IEC 14496-12, 12.1.5) with the matrix that the encoder used. */
export const nclxBox = ({ primaries, transfer }: ColourSignalling, matrix: number): Uint8Array =>
  box('colr', text('nclx'), halfWords(primaries, transfer, matrix), new Uint8Array([0x80]))

/** PNG lists primaries as red, green, blue (11.3.2.7); ISO media files as H.265 does, green, blue, red (D.3.28). */
export function lightBoxes({ mastering, lightLevel }: ColourSignalling): Uint8Array[] {
  const found: Uint8Array[] = []
  if (mastering) {
    const [red, green, blue, rest] = [0, 4, 8, 12].map((at, i) => mastering.subarray(at, i === 3 ? 24 : at + 4))
    found.push(box('mdcv', green!, blue!, red!, rest!))
  }
  if (lightLevel) {
    const reader = new ByteReader(lightLevel, false)
    // Whole cd/m² there; a picture that has a level keeps one.
    const level = (at: number) => Math.min(65_535, Math.ceil(reader.u32(at) / 10_000))
    found.push(box('clli', halfWords(level(0), level(4))))
  }
  return found
}

/** An AV1 sequence header OBU at the start of `data`, with primaries and transfer as signalled; unchanged where it names none. */
export function signalledSequence(data: Uint8Array, { primaries, transfer }: ColourSignalling): Uint8Array {
  const start = sequenceHeaderAt(data)
  const at = start === undefined ? undefined : colourBitsAt(data, start * 8)
  if (at === undefined) return data
  const out = data.slice()
  writeBits(out, at, primaries)
  writeBits(out, at + 8, transfer)
  return out
}

/** Where the payload of the sequence header is (AV1, 5.3 and 5.5), behind a temporal delimiter. */
function sequenceHeaderAt(data: Uint8Array): number | undefined {
  for (let at = 0; at + 2 < data.length; ) {
    const type = (data[at]! >> 3) & 15
    const [hasExtension, hasSize] = [(data[at]! & 4) !== 0, (data[at]! & 2) !== 0]
    at += hasExtension ? 2 : 1
    if (!hasSize) return undefined
    // leb128; the first OBUs of a still picture are shorter than 128 bytes.
    const size = data[at++]!
    if (size > 127) return undefined
    if (type === 1) return at
    at += size
  }
  return undefined
}

/** The bit where colour_primaries begin (AV1, 5.5.1 and 5.5.2); undefined where none are written, or it is not the header of a still picture. */
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
  // use_128x128_superblock, enable_filter_intra, enable_intra_edge_filter, enable_superres, enable_cdef, enable_restoration
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

/** True if an nclx property of a file (without box header) says what `signalling` does. */
export function saysSame(nclx: Uint8Array, { primaries, transfer }: ColourSignalling): boolean {
  const view = new ByteReader(nclx, false)
  return nclx.length >= 10 && view.u16(4) === primaries && view.u16(6) === transfer
}

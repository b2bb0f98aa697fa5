/** Headers of MPEG audio Layer III frames: ISO/IEC 11172-3, 2.4.1.3 (MPEG-1), ISO/IEC 13818-3 (MPEG-2) and MPEG-2.5. */
import { latin1Of } from '../../bytes/latin1.ts'
import { ByteReader } from '../../bytes/reader.ts'

export interface FrameHeader {
  /** MPEG version: 1, 2 or 2.5. */
  readonly version: 1 | 2 | 2.5
  readonly hertz: number
  readonly channels: 1 | 2
  /** Last byte of the header: mode, mode extension, copyright, original, emphasis. */
  readonly modeByte: number
  readonly kbps: number
  /** Bytes of the whole frame, header and padding included. */
  readonly bytes: number
  /** Samples a frame: 1152 in MPEG-1, 576 in MPEG-2 and MPEG-2.5. */
  readonly samples: number
  /** True if a 16-bit CRC follows the header. */
  readonly crc: boolean
  /** Bytes of side information after header and CRC. */
  readonly sideBytes: number
}

const KBPS_1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
const KBPS_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]

/** Bit rates of an MPEG version in kbit/s. Index 1–14 as in the header. */
export const bitRates = (version: 1 | 2 | 2.5): readonly number[] => (version === 1 ? KBPS_1 : KBPS_2)

/** Bytes of a frame without padding. */
export const frameBytes = (version: 1 | 2 | 2.5, kbps: number, hertz: number) =>
  Math.floor(((version === 1 ? 144000 : 72000) * kbps) / hertz)

/** Reads the Layer III frame header at `at`. `undefined`: not a header, or free format. */
export function frameHeader(bytes: Uint8Array, at: number): FrameHeader | undefined {
  if (at + 4 > bytes.length || bytes[at] !== 0xff || (bytes[at + 1]! & 0xe6) !== 0xe2) return undefined
  const id = (bytes[at + 1]! >> 3) & 3
  const version = id === 3 ? 1 : id === 2 ? 2 : 2.5
  const third = bytes[at + 2]!
  const rate = [44100, 48000, 32000][(third >> 2) & 3]
  const kbps = bitRates(version)[third >> 4]
  // Emphasis 2 is reserved. Real streams never use it, but random bytes do.
  if (id === 1 || !rate || !kbps || (bytes[at + 3]! & 3) === 2) return undefined
  const hertz = version === 1 ? rate : version === 2 ? rate / 2 : rate / 4
  const channels = bytes[at + 3]! >> 6 === 3 ? 1 : 2
  return {
    version,
    hertz,
    channels,
    modeByte: bytes[at + 3]!,
    kbps,
    bytes: frameBytes(version, kbps, hertz) + ((third >> 1) & 1),
    samples: version === 1 ? 1152 : 576,
    crc: (bytes[at + 1]! & 1) === 0,
    sideBytes: version === 1 ? (channels === 1 ? 17 : 32) : channels === 1 ? 9 : 17,
  }
}

/** Fields of a Xing/Info tag frame (with LAME's extension) or a VBRI tag frame. */
export interface TagFrame {
  readonly kind: 'Xing' | 'Info' | 'VBRI'
  /** Offset of the tag inside the frame. */
  readonly offset: number
  /** Number of audio frames that follow. `undefined`: the tag does not say. */
  readonly frames?: number
  /** Samples that the encoder added before (`delay`) and after (`padding`) the sound. `undefined`: LAME's extension is missing. */
  readonly delay?: number
  readonly padding?: number
}

/** Reads a tag frame (Xing's "VBR header", LAME's "Mp3 Info Tag rev 1"). `undefined`: the frame has sound. */
export function tagFrame(frame: Uint8Array, header: FrameHeader): TagFrame | undefined {
  const offset = 4 + header.sideBytes
  const name = ascii(frame, offset, 4)
  if (name === 'Xing' || name === 'Info') {
    const flags = frame[offset + 7] ?? 0
    const declared = flags & 1 && offset + 12 <= frame.length ? { frames: new ByteReader(frame, false).u32(offset + 8) } : {}
    const lame = offset + 8 + (flags & 1 ? 4 : 0) + (flags & 2 ? 4 : 0) + (flags & 4 ? 100 : 0) + (flags & 8 ? 4 : 0)
    // Only these encoders write a reliable delay (FFmpeg uses the same list). Other writers leave the encoder's name empty.
    if (lame + 24 > frame.length || !['LAME', 'Lavf', 'Lavc'].includes(ascii(frame, lame, 4))) return { kind: name, offset, ...declared }
    const delay = (frame[lame + 21]! << 4) | (frame[lame + 22]! >> 4)
    const padding = ((frame[lame + 22]! & 15) << 8) | frame[lame + 23]!
    return { kind: name, offset, ...declared, delay, padding }
  }
  return ascii(frame, 36, 4) === 'VBRI' ? { kind: 'VBRI', offset: 36 } : undefined
}

const ascii = (bytes: Uint8Array, at: number, count: number) => latin1Of(bytes.subarray(at, at + count))

/** Samples that LAME adds before the sound. */
export const LAME_DELAY = 576

/** Samples of delay of every Layer III decoder. */
export const DECODER_DELAY = 529

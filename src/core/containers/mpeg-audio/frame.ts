/** MPEG audio Layer III frames: ISO/IEC 11172-3, 2.4.1.3 (MPEG-1), ISO/IEC 13818-3 (MPEG-2), and MPEG-2.5. */
import { latin1Of } from '../../bytes/latin1.ts'
import { ByteReader } from '../../bytes/reader.ts'

export interface FrameHeader {
  /** 1, 2 or 2.5. */
  readonly version: 1 | 2 | 2.5
  readonly hertz: number
  readonly channels: 1 | 2
  /** The header's last byte: mode, its extension, copyright, original, emphasis. */
  readonly modeByte: number
  readonly kbps: number
  /** Bytes of the whole frame, header and padding slot included. */
  readonly bytes: number
  /** 1152 for MPEG-1, 576 for the others. */
  readonly samples: number
  /** Whether 16 bits of CRC follow the header. */
  readonly crc: boolean
  /** Bytes of side information behind header and CRC. */
  readonly sideBytes: number
}

const KBPS_1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
const KBPS_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]

/** The bit rates in kbit/s that a version knows, index 1–14 as in the header. */
export const bitRates = (version: 1 | 2 | 2.5): readonly number[] => (version === 1 ? KBPS_1 : KBPS_2)

/** Bytes of a frame without padding slot. */
export const frameBytes = (version: 1 | 2 | 2.5, kbps: number, hertz: number) =>
  Math.floor(((version === 1 ? 144000 : 72000) * kbps) / hertz)

/** The Layer III frame header at `at`; undefined for anything else, free format included. */
export function frameHeader(bytes: Uint8Array, at: number): FrameHeader | undefined {
  if (at + 4 > bytes.length || bytes[at] !== 0xff || (bytes[at + 1]! & 0xe6) !== 0xe2) return undefined
  const id = (bytes[at + 1]! >> 3) & 3
  const version = id === 3 ? 1 : id === 2 ? 2 : 2.5
  const third = bytes[at + 2]!
  const rate = [44100, 48000, 32000][(third >> 2) & 3]
  const kbps = bitRates(version)[third >> 4]
  // Emphasis 2 is reserved; real streams never carry it, garbage does.
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

/** Facts of a Xing/Info frame (and LAME's extension), or VBRI. */
export interface TagFrame {
  readonly kind: 'Xing' | 'Info' | 'VBRI'
  /** Offset of the tag inside the frame. */
  readonly offset: number
  /** How many frames of sound follow, when it says. */
  readonly frames?: number
  /** Samples the encoder put in front, and behind; undefined without LAME's extension. */
  readonly delay?: number
  readonly padding?: number
}

/** Whether a frame carries a tag instead of sound (Xing's "VBR header", LAME's "Mp3 Info Tag rev 1"). */
export function tagFrame(frame: Uint8Array, header: FrameHeader): TagFrame | undefined {
  const offset = 4 + header.sideBytes
  const name = ascii(frame, offset, 4)
  if (name === 'Xing' || name === 'Info') {
    const flags = frame[offset + 7] ?? 0
    const declared = flags & 1 && offset + 12 <= frame.length ? { frames: new ByteReader(frame, false).u32(offset + 8) } : {}
    const lame = offset + 8 + (flags & 1 ? 4 : 0) + (flags & 2 ? 4 : 0) + (flags & 4 ? 100 : 0) + (flags & 8 ? 4 : 0)
    // Other writers leave the encoder's name empty; only these are known to mean the delay seriously (as FFmpeg judges).
    if (lame + 24 > frame.length || !['LAME', 'Lavf', 'Lavc'].includes(ascii(frame, lame, 4))) return { kind: name, offset, ...declared }
    const delay = (frame[lame + 21]! << 4) | (frame[lame + 22]! >> 4)
    const padding = ((frame[lame + 22]! & 15) << 8) | frame[lame + 23]!
    return { kind: name, offset, ...declared, delay, padding }
  }
  return ascii(frame, 36, 4) === 'VBRI' ? { kind: 'VBRI', offset: 36 } : undefined
}

const ascii = (bytes: Uint8Array, at: number, count: number) => latin1Of(bytes.subarray(at, at + count))

/** Samples LAME puts in front of the sound. */
export const LAME_DELAY = 576

/** Samples by which every Layer III decoder is late. */
export const DECODER_DELAY = 529

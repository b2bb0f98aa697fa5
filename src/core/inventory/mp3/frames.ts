/** Finds the MP3 frames (ISO/IEC 11172-3, 2.4.1.3) and reads the encoder's tag frame: Xing header with LAME's extension. */
import type { FileView } from '../file-view.ts'
import type { Reading } from '../media/media-reader.ts'
import { be32, nameAt, seconds } from '../media/numbers.ts'

interface Header {
  readonly hertz: number
  readonly channels: number
  readonly samples: number
  readonly bytes: number
  /** Offset of the tag in a frame without sound. */
  readonly tagAt: number
}

export interface Frames {
  /** File offset of the first frame. */
  readonly start: number
  readonly first: Header
}

const RATES = [44100, 48000, 32000]
const KBPS_1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
const KBPS_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]

/** Reads a Layer III frame header. `undefined`: none. */
function headerAt(bytes: Uint8Array, at: number): Header | undefined {
  const [sync = 0, second = 0, third = 0, fourth = 0] = bytes.subarray(at, at + 4)
  const version = (second >> 3) & 3
  if (sync !== 0xff || (second & 0xe6) !== 0xe2 || version === 1) return undefined
  const rate = RATES[(third >> 2) & 3]
  const isFirst = version === 3
  const kbps = (isFirst ? KBPS_1 : KBPS_2)[third >> 4]
  if (!rate || !kbps || (fourth & 3) === 2) return undefined
  const hertz = isFirst ? rate : version === 2 ? rate / 2 : rate / 4
  const isMono = fourth >> 6 === 3
  const sideBytes = isFirst ? (isMono ? 17 : 32) : isMono ? 9 : 17
  return {
    hertz,
    channels: isMono ? 1 : 2,
    samples: isFirst ? 1152 : 576,
    bytes: Math.floor(((isFirst ? 144_000 : 72_000) * kbps) / hertz) + ((third >> 1) & 1),
    tagAt: 4 + sideBytes,
  }
}

/** Bytes between tags and the first frame that are searched. */
const SEARCHED_BYTES = 64 * 1024
const MAX_FRAME_BYTES = 2048

/** Finds the first frame: another frame of the same kind follows it, or the sound ends. */
export async function findFrames(view: FileView, from: number, end: number): Promise<Frames | undefined> {
  const bytes = (await view.bytesUpTo(from, Math.min(SEARCHED_BYTES + 3 * MAX_FRAME_BYTES, end - from))).slice()
  for (let at = bytes.indexOf(0xff); at >= 0 && at < SEARCHED_BYTES; at = bytes.indexOf(0xff, at + 1)) {
    const first = headerAt(bytes, at)
    if (!first) continue
    const next = headerAt(bytes, at + first.bytes)
    if (from + at + first.bytes >= end || next?.hertz === first.hertz) return { start: from + at, first }
  }
  return undefined
}

/** Encoders whose delay players honour. */
const KNOWN_ENCODERS = ['LAME', 'Lavf', 'Lavc']
const [HAS_FRAMES, HAS_BYTES, HAS_TABLE, HAS_QUALITY] = [1, 2, 4, 8]

/** Adds channels, duration and gapless data. `end`: offset where the tags at the end begin. */
export async function describeEncoderTag({ view, items }: Reading, { start, first }: Frames, end: number): Promise<void> {
  items.add('sound_format', `channels = ${first.channels}`)
  const frame = (await view.bytesUpTo(start, Math.min(MAX_FRAME_BYTES, end - start))).slice()
  const kind = nameAt(frame, first.tagAt)
  if (kind !== 'Xing' && kind !== 'Info') return
  const flags = be32(frame, first.tagAt + 4)
  let at = first.tagAt + 8
  const field = (flag: number, length: number) => {
    const value = flags & flag ? be32(frame, at) : undefined
    at += flags & flag ? length : 0
    return value
  }
  const [frames, bytes] = [field(HAS_FRAMES, 4), field(HAS_BYTES, 4)]
  field(HAS_TABLE, 100)
  field(HAS_QUALITY, 4)
  const hasDelay = KNOWN_ENCODERS.includes(nameAt(frame, at))
  const isWhole = frames !== undefined && bytes !== undefined && Math.abs(end - start - bytes) <= MAX_FRAME_BYTES
  if (hasDelay) {
    const [high = 0, middle = 0, low = 0] = frame.subarray(at + 21, at + 24)
    const cut = (high << 4) + (middle >> 4) + ((middle & 15) << 8) + low
    items.add('gapless_data', 'delay and padding of the encoder')
    if (isWhole) items.add('gapless_data', `plays = ${frames * first.samples - cut} samples`)
    if (isWhole) items.add('durations', `sound = ${seconds((frames * first.samples - cut) / first.hertz)} s`)
    if (be32(frame, at + 15) !== 0) items.add('gapless_data', `replay gain = ${be32(frame, at + 15).toString(16)}`)
  } else if (isWhole) items.add('durations', `sound = ${seconds((frames * first.samples) / first.hertz)} s`)
}

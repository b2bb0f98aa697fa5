/** Packets of MPEG transport streams (ISO/IEC 13818-1, 2.4.3). */
import { malformed } from '../../model/error.ts'

/** Places of the packets in a file. */
export interface PacketGrid {
  /** Bytes from one packet to the next: 188, or 192 with a time stamp in front (M2TS). */
  readonly step: number
  /** Offset of the first sync byte. */
  readonly first: number
}

export const PACKET_BYTES = 188
const SYNC = 0x47
const GRIDS: readonly PacketGrid[] = [
  { step: PACKET_BYTES, first: 0 },
  { step: PACKET_BYTES + 4, first: 4 },
]
/** Packets whose sync byte must fit: a text has no `G` at five places in the same distance, followed by a valid header. */
const PROBED_PACKETS = 5

/** Returns the grid of a transport stream by its first bytes. `undefined`: another file. */
export const gridOf = (head: Uint8Array): PacketGrid | undefined =>
  GRIDS.find(({ step, first }) => {
    let packets = 0
    while (packets < PROBED_PACKETS && isPacket(head, first + packets * step)) packets++
    return packets === PROBED_PACKETS || (packets > 0 && packets * step === head.length && head.some(isControl))
  })

/** True for a byte that no text contains. A stream of fewer packets is recognised by it, and by its length. */
const isControl = (byte: number) => byte < 9

/** Sync byte, no transport error, and payload or adaptation field present. */
const isPacket = (head: Uint8Array, at: number) =>
  at + 4 <= head.length && head[at] === SYNC && (head[at + 1]! & 0x80) === 0 && (head[at + 3]! & 0x30) !== 0

export const NULL_PID = 0x1fff

/** Header of a packet. One object is filled again and again, because a film has millions of packets. */
export class PacketHeader {
  pid = 0
  /** True if a section or PES packet starts in the payload. */
  isStart = false
  isScrambled = false
  isDamaged = false
  /** True if the stream says that its counter or clock starts anew here. */
  isDiscontinuous = false
  counter = 0
  /** Indexes of the payload in the bytes that were read. Equal: no payload. */
  from = 0
  to = 0

  /** Reads the packet at `at`. `offset`: file offset of `bytes[0]`, for errors. @throws CodecError (malformed) */
  read(bytes: Uint8Array, at: number, offset: number): void {
    if (bytes[at] !== SYNC) throw malformed('ts', offset + at, 'ts_sync_lost')
    const [second, fourth] = [bytes[at + 1]!, bytes[at + 3]!]
    this.pid = ((second & 0x1f) << 8) | bytes[at + 2]!
    this.isDamaged = (second & 0x80) !== 0
    this.isStart = (second & 0x40) !== 0
    this.isScrambled = (fourth & 0xc0) !== 0
    this.counter = fourth & 15
    const adaptation = fourth & 0x20 ? 1 + bytes[at + 4]! : 0
    this.isDiscontinuous = adaptation > 1 && (bytes[at + 5]! & 0x80) !== 0
    this.to = at + PACKET_BYTES
    this.from = fourth & 0x10 ? at + 4 + adaptation : this.to
    // A null packet may hold anything.
    if (this.from > this.to) {
      if (this.pid !== NULL_PID) throw malformed('ts', offset + at, 'ts_packet_damaged')
      this.from = this.to
    }
  }
}

import { concat } from '../../bytes/concat.ts'
import { latin1Of } from '../../bytes/latin1.ts'
import { CONTINUED, CONTINUES, LAST, NO_GRANULE, type OggPage } from '../../containers/ogg/page.ts'
import { malformed, unsupported } from '../../model/error.ts'
import { PREFIX_BYTES, type SoundStream, soundStream } from './sound-stream.ts'

/** Part of a packet that is on one page. */
export interface PacketPiece {
  /** First segment, and number of segments. */
  readonly segment: number
  readonly segments: number
  /** Range of the body. */
  readonly from: number
  readonly to: number
  /** True if the packet ends on this page. */
  readonly ends: boolean
  /** Position at the end of the packet. `undefined`: it does not end here, or its position is not known. */
  readonly granule: bigint | undefined
}

/** True for Ogg Skeleton from version 4 on, which has byte positions of pages. */
const isIndexed = (first: Uint8Array): boolean => latin1Of(first.subarray(0, 8)) === 'fishead\0' && (first[8] ?? 0) >= 4

/** State of one logical stream while its pages are read in order. */
export class LogicalStream {
  readonly serial: number
  /** Reader of packets. `undefined`: the codec is another one, so nothing is known about its packets. */
  readonly sound: SoundStream | undefined
  readonly first: Uint8Array
  hasEnded: boolean
  isInHeaders = false
  #headers = 0
  #sequence: number
  /** True if the last packet continues on the next page. */
  #isOpen: boolean
  #position = 0n
  /** First bytes of a packet that continues. */
  #prefix: Uint8Array = new Uint8Array(0)

  /** @throws CodecError (malformed) if a stream of sound does not begin with one packet */
  constructor({ serial, sequence, lacing, body, flags, offset }: OggPage) {
    this.serial = serial
    this.first = body.slice()
    this.hasEnded = (flags & LAST) !== 0
    this.#sequence = sequence
    this.#isOpen = lacing.at(-1) === CONTINUES
    if (isIndexed(this.first)) throw unsupported('ogg_has_index')
    this.sound = soundStream(this.first)
    if (!this.sound) return
    if (flags & CONTINUED || lacing.findIndex((length) => length < CONTINUES) !== lacing.length - 1)
      throw malformed('ogg', offset, 'ogg_first_page_of_several_packets')
    this.isInHeaders = true
    this.header(this.first)
    if (!this.isInHeaders || this.hasEnded) throw malformed('ogg', offset, 'ogg_ends_in_headers')
  }

  /** Checks that a page follows the previous one. @throws CodecError (malformed) if a page is missing */
  follow({ sequence, flags, offset, lacing }: OggPage): void {
    const isNext = sequence === (this.#sequence + 1) >>> 0
    const continues = (flags & CONTINUED) !== 0
    if (this.sound && (!isNext || (continues !== this.#isOpen && lacing.length > 0))) throw malformed('ogg', offset, 'ogg_page_missing')
    this.#sequence = sequence
    if (lacing.length > 0) this.#isOpen = lacing.at(-1) === CONTINUES
    if (!(flags & LAST)) return
    if (this.sound && this.#isOpen) throw malformed('ogg', offset, 'ogg_ends_in_packet')
    this.hasEnded = true
  }

  header(packet: Uint8Array): void {
    if (this.sound!.header(packet, this.#headers++)) this.isInHeaders = false
  }

  /** Splits a page into its packets. @throws CodecError (unsupported_feature) if it has a position without a packet that ends, or none */
  data({ lacing, body, granule }: OggPage): { pieces: PacketPiece[]; isRegular: boolean } {
    const pieces: PacketPiece[] = []
    let position: bigint | undefined = this.#position
    let [segment, from, at, ends] = [0, 0, 0, 0]
    for (const [index, length] of lacing.entries()) {
      at += length
      const isEnd = length < CONTINUES
      if (!isEnd && index < lacing.length - 1) continue
      const samples = this.#samples(body.subarray(from, at), isEnd)
      if (isEnd) position = samples === undefined || position === undefined ? undefined : position + BigInt(samples)
      pieces.push({ segment, segments: index + 1 - segment, from, to: at, ends: isEnd, granule: isEnd ? position : undefined })
      if (isEnd) ends++
      ;[segment, from] = [index + 1, at]
    }
    const hasPosition = granule !== NO_GRANULE
    if (this.sound && lacing.length > 0 && hasPosition !== ends > 0) throw unsupported('ogg_position_out_of_place')
    const isRegular = this.sound !== undefined && position !== undefined && (!hasPosition || granule === position)
    if (hasPosition) this.#position = granule
    return { pieces, isRegular }
  }

  /** Samples of a packet that ends here. Keeps the first bytes of one that continues. */
  #samples(bytes: Uint8Array, ends: boolean): number | undefined {
    if (!this.sound) return undefined
    const missing = PREFIX_BYTES - this.#prefix.length
    const prefix = this.#prefix.length === 0 ? bytes.subarray(0, PREFIX_BYTES) : concat([this.#prefix, bytes.subarray(0, missing)])
    this.#prefix = ends ? new Uint8Array(0) : prefix.slice()
    return ends ? this.sound.samplesIn(prefix) : undefined
  }
}

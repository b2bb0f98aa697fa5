/** Finds out what of an Ogg file players play, before it is decoded: one stream of sound without gaps. */
import { concat } from '../../bytes/concat.ts'
import { LAST, NO_GRANULE } from '../../containers/ogg/page.ts'
import type { Source } from '../../model/codec.ts'
import { malformed, unsupported } from '../../model/error.ts'
import type { LogicalStream } from './logical-stream.ts'
import { eventsOf, type OggEvent } from './read-streams.ts'
import { MAX_PACKET_BYTES } from './tuning.ts'

export interface OggSound {
  readonly stream: LogicalStream
  /** Header packets behind the first one. */
  readonly headers: readonly Uint8Array[]
  /** Samples that a decoder returns and players skip at the start. */
  readonly skip: number
  /** Samples of each channel that players play. */
  readonly frames: number
  /** Bytes of all packets of sound. */
  readonly bytes: number
}

/**
 * Reads all pages of a file.
 * @throws CodecError (unsupported_feature) if it has several streams, gaps, or sound that does not begin at position 0
 */
export async function readOggSound(source: Source, signal: AbortSignal): Promise<OggSound> {
  const scan = new Scan()
  for await (const event of eventsOf(source, signal)) scan.add(event)
  return scan.finish(source)
}

class Scan {
  #stream: LogicalStream | undefined
  #headers: readonly Uint8Array[] = []
  #bytes = 0
  /** Samples up to the last page that told a position. `undefined`: no page did. */
  #decoded: bigint | undefined
  /** Position of the first sample. */
  #start = 0n
  #end = 0n
  /** True behind a page whose position tells less than its samples, which ends the sound. */
  #isTrimmed = false

  add(event: OggEvent): void {
    if (event.kind === 'first') {
      if (this.#stream) throw unsupported('ogg_has_several_streams')
      if (event.stream.sound?.codec === 'speex') throw unsupported('speex_not_decoded')
      this.#stream = event.stream
    } else if (event.kind === 'headers') this.#headers = event.packets
    else this.#data(event)
  }

  #data({ stream, page, pieces, isRegular }: Extract<OggEvent, { kind: 'data' }>): void {
    if (stream !== this.#stream) throw unsupported('ogg_has_several_streams')
    this.#bytes += page.body.length
    if (page.granule === NO_GRANULE || pieces.length === 0) return
    const samples = pieces.findLast(({ ends }) => ends)?.granule
    if (samples === undefined) throw unsupported('ogg_lengths_unknown')
    if (this.#isTrimmed) throw unsupported('ogg_has_gaps')
    const isLast = (page.flags & LAST) !== 0
    if (isRegular) this.#decoded = (this.#decoded ?? 0n) + samples - this.#end
    else if (page.granule < samples && (isLast || this.#decoded !== undefined)) {
      this.#decoded = (this.#decoded ?? 0n) + samples - this.#end
      this.#isTrimmed = true
    } else {
      if (this.#decoded !== undefined) throw unsupported('ogg_has_gaps')
      this.#decoded = samples
      this.#start = page.granule - samples
    }
    this.#end = page.granule
  }

  finish(source: Source): OggSound {
    const stream = this.#stream
    if (!stream?.sound || this.#headers.length === 0) throw malformed('ogg', source.size, 'ogg_ends_in_headers')
    const preSkip = stream.sound.codec === 'opus' ? BigInt(stream.first[10]! + 256 * stream.first[11]!) : 0n
    // Vorbis may begin before position 0; players drop what is before it.
    const isBefore = this.#start < 0n && stream.sound.codec === 'vorbis'
    if (this.#start !== 0n && !isBefore) throw unsupported('ogg_does_not_begin_at_zero')
    const skip = isBefore ? -this.#start : preSkip
    const frames = this.#end - (isBefore ? 0n : preSkip)
    const isInside = frames >= 0n && frames + skip <= (this.#decoded ?? 0n)
    if (!isInside || frames > BigInt(Number.MAX_SAFE_INTEGER)) throw unsupported('ogg_has_gaps')
    return { stream, headers: this.#headers, skip: Number(skip), frames: Number(frames), bytes: this.#bytes }
  }
}

/** Yields the packets of sound of a file with one stream, but for empty ones. @throws CodecError (unsupported_feature) for a packet that is too large */
export async function* packetsOf(source: Source, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
  let parts: Uint8Array[] = []
  let bytes = 0
  for await (const event of eventsOf(source, signal)) {
    if (event.kind !== 'data') continue
    for (const { from, to, ends } of event.pieces) {
      bytes += to - from
      if (bytes > MAX_PACKET_BYTES) throw unsupported('ogg_packet_too_large')
      const part = event.page.body.subarray(from, to)
      if (!ends) {
        parts.push(part.slice())
        continue
      }
      const packet = parts.length > 0 ? concat([...parts, part]) : part
      if (packet.length > 0) yield packet
      parts = []
      bytes = 0
    }
  }
}

/** Writes an Ogg Opus file (RFC 7845) whose sound is encoded anew, and measures the noise by decoding each packet. */
import { OPUS_PACKET_FRAMES, OpusDecoder, type OpusEncoder } from '../../../wasm/opus/opus.ts'
import { latin1Bytes } from '../bytes/latin1.ts'
import { FIRST, LAST, lacingOf } from '../containers/ogg/page.ts'
import { addPacket, PageWriter } from '../containers/ogg/page-writer.ts'
import { DelayedSnr } from '../metrics/delayed-snr.ts'
import type { Sink } from '../model/codec.ts'
import { WriteBuffer } from '../model/sink.ts'
import { Trim } from './trim.ts'

/** Vendor in the comments: the encoder that was used (RFC 7845, section 5.2). */
export const OPUS_VENDOR: Uint8Array = latin1Bytes('libopus 1.5.2')

export interface OpusStream {
  /** Serial number of the pages. */
  readonly serial: number
  /** Pre-skip: samples that players drop. At least the delay of the encoder. */
  readonly skip: number
  /** Samples of each channel that players play. */
  readonly frames: number
}

export class OpusFile implements Disposable {
  readonly #encoder: OpusEncoder
  readonly #decoder: OpusDecoder
  readonly #buffer: WriteBuffer
  readonly #pages: PageWriter
  /** Position at the end of the sound: pre-skip and samples that are played. */
  readonly #end: number
  /** Part of the input that is played, which the noise is measured in. */
  readonly #played: Trim
  readonly #meter: DelayedSnr
  readonly #block: Float32Array[]
  #filled = 0
  #packets = 0
  /** Bytes of the packets of sound so far. */
  bytes = 0

  constructor({ serial, skip, frames }: OpusStream, encoder: OpusEncoder, sink: Sink) {
    this.#encoder = encoder
    this.#decoder = new OpusDecoder(encoder.layout, 0)
    this.#buffer = new WriteBuffer(sink)
    this.#pages = new PageWriter(serial, 0, (page) => this.#buffer.write(page))
    this.#end = skip + frames
    this.#played = new Trim(skip - encoder.delay, frames)
    this.#meter = new DelayedSnr(skip)
    this.#block = Array.from({ length: encoder.layout.channels }, () => new Float32Array(OPUS_PACKET_FRAMES))
  }

  [Symbol.dispose](): void {
    this.#decoder[Symbol.dispose]()
  }

  get snrDb(): number {
    return this.#meter.decibels
  }

  /** Writes the header packets. `others`: all but the first. */
  async begin({ first, others }: { readonly first: Uint8Array; readonly others: readonly Uint8Array[] }): Promise<void> {
    await addPacket(this.#pages, first)
    await this.#pages.flush(FIRST)
    for (const packet of others) await addPacket(this.#pages, packet)
    await this.#pages.flush()
  }

  /** Encodes planar samples in the order of Opus. */
  async add(planar: readonly Float32Array[]): Promise<void> {
    for (const part of this.#played.cut(planar)) this.#meter.expect(part.map((channel) => channel.slice()))
    const length = planar[0]!.length
    for (let from = 0; from < length; ) {
      const count = Math.min(OPUS_PACKET_FRAMES - this.#filled, length - from)
      for (const [channel, samples] of planar.entries()) this.#block[channel]!.set(samples.subarray(from, from + count), this.#filled)
      this.#filled += count
      from += count
      if (this.#filled === OPUS_PACKET_FRAMES) await this.#encode()
    }
  }

  /** Encodes the rest, with silence until the decoder has returned all samples. */
  async end(): Promise<void> {
    while (this.#packets * OPUS_PACKET_FRAMES < this.#end) await this.#encode()
    await this.#pages.flush(LAST)
    await this.#buffer.flush()
  }

  async #encode(): Promise<void> {
    const packet = this.#encoder.encode(this.#block.map((channel) => channel.subarray(0, this.#filled)))
    this.#filled = 0
    this.#packets++
    this.bytes += packet.length
    this.#meter.decoded(this.#decoder.decode(packet) ?? [])
    const granule = BigInt(Math.min(this.#end, this.#packets * OPUS_PACKET_FRAMES))
    await this.#pages.add({ lacing: lacingOf(packet.length), body: packet, granule })
  }
}

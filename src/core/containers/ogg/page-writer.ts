import { CONTINUED, CONTINUES, lacingOf, MAX_BODY_BYTES, MAX_SEGMENTS, NO_GRANULE, pageBytes } from './page.ts'

/** Part of a packet, with the position at its end. */
export interface Segments {
  readonly lacing: Uint8Array
  readonly body: Uint8Array
  /** `undefined`: the packet continues. */
  readonly granule: bigint | undefined
}

/** Writes the packets of one logical stream to pages that are as full as possible. */
export class PageWriter {
  readonly #serial: number
  readonly #write: (page: Uint8Array) => Promise<void>
  readonly #lacing = new Uint8Array(MAX_SEGMENTS)
  readonly #body = new Uint8Array(MAX_BODY_BYTES)
  #segments = 0
  #bytes = 0
  /** Segments and bytes up to the last packet that ends, and its position. */
  #ended = { segments: 0, bytes: 0, granule: NO_GRANULE }
  #isContinued = false
  #sequence: number

  /** `sequence`: number of the first page. */
  constructor(serial: number, sequence: number, write: (page: Uint8Array) => Promise<void>) {
    this.#serial = serial
    this.#sequence = sequence
    this.#write = write
  }

  /** True if no segment waits for its page. */
  get isEmpty(): boolean {
    return this.#segments === 0
  }

  /** Adds a part of a packet that fits into one page. Pages begin with a packet, unless the packet is longer than a page. */
  async add({ lacing, body, granule }: Segments): Promise<void> {
    if (this.#segments + lacing.length > MAX_SEGMENTS && this.#ended.segments > 0) await this.#writePage(this.#ended, 0)
    let [segment, from] = [0, 0]
    while (segment < lacing.length) {
      if (this.#segments === MAX_SEGMENTS) await this.#writePage(this.#all(), 0)
      const length = lacing[segment]!
      this.#lacing[this.#segments++] = length
      this.#body.set(body.subarray(from, from + length), this.#bytes)
      this.#bytes += length
      from += length
      segment++
    }
    if (granule !== undefined) this.#ended = { segments: this.#segments, bytes: this.#bytes, granule }
  }

  /** Writes all segments that wait. `flags`: those of the last page. */
  async flush(flags = 0): Promise<void> {
    if (!this.isEmpty) await this.#writePage(this.#all(), flags)
  }

  /** Writes a page without segments. */
  async writeEmpty(flags: number, granule: bigint): Promise<void> {
    await this.#writePage({ segments: 0, bytes: 0, granule }, flags)
  }

  #all = () => ({ segments: this.#segments, bytes: this.#bytes, granule: this.#ended.granule })

  async #writePage({ segments, bytes, granule }: { segments: number; bytes: number; granule: bigint }, flags: number): Promise<void> {
    const lacing = this.#lacing.subarray(0, segments)
    await this.#write(
      pageBytes({
        flags: flags | (this.#isContinued ? CONTINUED : 0),
        granule,
        serial: this.#serial,
        sequence: this.#sequence,
        lacing,
        body: this.#body.subarray(0, bytes),
      }),
    )
    this.#sequence = (this.#sequence + 1) >>> 0
    if (segments > 0) this.#isContinued = lacing.at(-1) === CONTINUES
    this.#lacing.copyWithin(0, segments, this.#segments)
    this.#body.copyWithin(0, bytes, this.#bytes)
    this.#segments -= segments
    this.#bytes -= bytes
    this.#ended = { segments: 0, bytes: 0, granule: NO_GRANULE }
  }
}

/** Adds a whole header packet, whose position is zero. */
export async function addPacket(writer: PageWriter, packet: Uint8Array): Promise<void> {
  const lacing = lacingOf(packet.length)
  for (let at = 0; at < lacing.length; at += MAX_SEGMENTS) {
    const from = at * CONTINUES
    const isEnd = at + MAX_SEGMENTS >= lacing.length
    const body = packet.subarray(from, isEnd ? packet.length : from + MAX_BODY_BYTES)
    await writer.add({ lacing: lacing.subarray(at, at + MAX_SEGMENTS), body, granule: isEnd ? 0n : undefined })
  }
}

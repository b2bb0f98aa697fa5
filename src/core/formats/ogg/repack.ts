/**
 * Writes the packets of all streams to fewer pages. A page ends where it is full, where pages of another stream follow, and where its position
 * tells more than the samples of its packets: gaps, offsets, and sound that ends inside a packet.
 */
import { FIRST, LAST, pageBytes } from '../../containers/ogg/page.ts'
import { addPacket, PageWriter } from '../../containers/ogg/page-writer.ts'
import type { Options, Sink, Source } from '../../model/codec.ts'
import { WriteBuffer } from '../../model/sink.ts'
import { planHeaders } from './headers.ts'
import type { LogicalStream } from './logical-stream.ts'
import { eventsOf, type OggEvent } from './read-streams.ts'

export interface Repacked {
  readonly pagesBefore: number
  readonly pagesAfter: number
  readonly covers: number
  readonly droppedPadding: boolean
}

export async function repack(source: Source, sink: Sink, options: Options): Promise<Repacked> {
  const repacker = new Repacker(sink, options)
  for await (const event of eventsOf(source, options.signal)) {
    await repacker.add(event)
    if (event.kind === 'data') options.progress((0.6 * event.page.offset) / source.size)
  }
  return await repacker.finish()
}

class Repacker {
  readonly #options: Options
  readonly #buffer: WriteBuffer
  readonly #writers = new WeakMap<LogicalStream, PageWriter>()
  /** Stream whose first page is not written, because its headers may follow and change it. */
  #first: LogicalStream | undefined
  /** Writer of the last pages. Only its segments may wait. */
  #current: PageWriter | undefined
  #sums = { pagesBefore: 0, pagesAfter: 0, covers: 0, droppedPadding: false }

  constructor(sink: Sink, options: Options) {
    this.#buffer = new WriteBuffer(sink)
    this.#options = options
  }

  async add(event: OggEvent): Promise<void> {
    if (event.kind === 'headers') return await this.#headers(event)
    await this.#writeFirst(this.#first?.first)
    this.#sums.pagesBefore++
    if (event.kind === 'data') return await this.#data(event)
    await this.#switchTo(undefined)
    const { serial, sequence } = event.page
    this.#writers.set(event.stream, new PageWriter(serial, sequence, (page) => this.#write(page)))
    this.#first = event.stream
  }

  async finish(): Promise<Repacked> {
    await this.#writeFirst(this.#first?.first)
    await this.#switchTo(undefined)
    await this.#buffer.flush()
    return this.#sums
  }

  async #headers({ stream, packets, pages, isLast }: Extract<OggEvent, { kind: 'headers' }>): Promise<void> {
    const mayChangeFirst = this.#first === stream
    const plan = await planHeaders(stream, packets, mayChangeFirst, this.#options)
    await this.#writeFirst(mayChangeFirst ? plan.first : this.#first?.first)
    const writer = this.#writers.get(stream)!
    await this.#switchTo(writer)
    for (const packet of plan.others) await addPacket(writer, packet)
    await writer.flush(isLast ? LAST : 0)
    this.#sums.pagesBefore += pages
    this.#sums.covers += plan.covers
    this.#sums.droppedPadding ||= plan.droppedPadding
  }

  async #data({ stream, page, pieces, isRegular }: Extract<OggEvent, { kind: 'data' }>): Promise<void> {
    const writer = this.#writers.get(stream)
    await this.#switchTo(writer)
    if (!writer) return await this.#write(pageBytes(page))
    const last = page.flags & LAST
    if (!isRegular) await writer.flush()
    for (const { segment, segments, from, to, ends, granule } of pieces) {
      const lacing = page.lacing.subarray(segment, segment + segments)
      await writer.add({ lacing, body: page.body.subarray(from, to), granule: ends ? (isRegular ? granule : page.granule) : undefined })
    }
    if (writer.isEmpty && (last || !isRegular)) await writer.writeEmpty(last, page.granule)
    else if (last || !isRegular) await writer.flush(last)
  }

  /** Writes what waits of another stream, so that the order of all packets stays. */
  async #switchTo(writer: PageWriter | undefined): Promise<void> {
    if (this.#current !== writer) await this.#current?.flush()
    this.#current = writer
  }

  async #writeFirst(packet: Uint8Array | undefined): Promise<void> {
    const stream = this.#first
    if (!stream || !packet) return
    this.#first = undefined
    const writer = this.#writers.get(stream)!
    await addPacket(writer, packet)
    await writer.flush(FIRST)
  }

  async #write(page: Uint8Array): Promise<void> {
    this.#sums.pagesAfter++
    await this.#buffer.write(page)
  }
}

/** Reads ranges of the content of one PID at a file offset. */
import type { Source } from '../../model/codec.ts'
import { malformed } from '../../model/error.ts'
import { Continuity } from './continuity.ts'
import { PACKET_BYTES, type PacketGrid, PacketHeader } from './packet.ts'
import { MAX_PES_HEADER_BYTES, PES_START_BYTES, pesHeaderBytes } from './pes.ts'

/** Packets that are read at once. */
const WINDOW_PACKETS = 1365

export class StreamReader {
  readonly #source: Source
  readonly #grid: PacketGrid
  readonly #pid: number
  #window: Uint8Array = new Uint8Array()
  #windowAt = 0

  constructor(source: Source, grid: PacketGrid, pid: number) {
    this.#source = source
    this.#grid = grid
    this.#pid = pid
  }

  /**
   * Returns `size` bytes of the stream, of which the first is at `offset` of the file.
   * @throws CodecError (malformed) if the file ends before
   */
  async read(offset: number, size: number): Promise<Uint8Array> {
    const { step, first } = this.#grid
    const out = new Uint8Array(size)
    const content = new ContentCutter()
    const continuity = new Continuity()
    const header = new PacketHeader()
    let at = Math.floor((offset - first) / step) * step
    for (let filled = 0; filled < size; at += step) {
      const index = await this.#load(at)
      header.read(this.#window, index + first, this.#windowAt)
      if (header.pid !== this.#pid || header.isDamaged || header.from === header.to || !continuity.isNew(this.#window, header)) continue
      const isFirst = at + first <= offset && offset < at + first + PACKET_BYTES
      const from = isFirst ? offset - this.#windowAt : content.startOf(this.#window, header)
      const part = this.#window.subarray(from, Math.min(header.to, from + size - filled))
      out.set(part, filled)
      filled += part.length
    }
    return out
  }

  /** Reads the packet at `at`, with many behind it. Returns its index in the window. */
  async #load(at: number): Promise<number> {
    const { step, first } = this.#grid
    const end = at + first + PACKET_BYTES
    if (at < this.#windowAt || end > this.#windowAt + this.#window.length) {
      if (end > this.#source.size) throw malformed('ts', at, 'ts_file_ends_early')
      this.#window = await this.#source.read(at, WINDOW_PACKETS * step)
      this.#windowAt = at
      if (end > at + this.#window.length) throw malformed('ts', at, 'ts_file_ends_early')
    }
    return at - this.#windowAt
  }
}

/** Finds where the content of packets starts, behind PES headers, which may be longer than a packet. */
export class ContentCutter {
  /** Bytes of a header whose end lies in a later packet. */
  readonly header = new Uint8Array(MAX_PES_HEADER_BYTES)
  filled = 0
  /** Bytes of the header that is being read. 0: none. */
  wanted = 0

  /** Index of the first byte of content in the packet. Its end: the packet has none. */
  startOf(bytes: Uint8Array, { from, to, isStart }: PacketHeader): number {
    if (isStart) {
      this.filled = 0
      this.wanted = PES_START_BYTES
    }
    let at = from
    while (this.filled < this.wanted && at < to) {
      const part = bytes.subarray(at, Math.min(to, at + this.wanted - this.filled))
      this.header.set(part, this.filled)
      this.filled += part.length
      at += part.length
      if (this.filled < PES_START_BYTES || this.wanted > PES_START_BYTES) continue
      // Packets of other kinds, and damaged ones, are refused before they are read here.
      this.wanted = Math.max(PES_START_BYTES, pesHeaderBytes(this.header) ?? 0)
    }
    return at
  }

  /** True if a header has been read to its end. */
  get isWhole(): boolean {
    return this.filled === this.wanted
  }
}

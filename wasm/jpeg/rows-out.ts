import { EngineError } from '../engine-error.ts'
import { COLOUR_CODE, chunksOf, Engine, type JpegInput, type Place } from './engine.ts'

export interface RowsOutOptions {
  /** Size in eighths, each direction: 8 (default) as stored, 4 half, 2 a quarter, 1 an eighth. Scaling happens in the DCT: fast and smooth. */
  readonly dctScale?: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8
  /**
   * `natural` (default): 1 channel for grey, RGB for YCbCr and RGB, CMYK for CMYK and YCCK (as stored: Adobe files are
   * inverted, 255 is no ink). `gray` takes luma; `rgba` is RGB with 255; `ycbcr` as stored. CMYK converts to nothing else.
   */
  readonly colour?: 'natural' | 'gray' | 'rgb' | 'rgba' | 'ycbcr'
}

/**
 * JPEG → pixel rows, top to bottom. Baseline files need memory for a few rows, progressive ones about two bytes per
 * non-zero coefficient (1.5–2 times the file). Throws `EngineError`; damage of any kind is an error, never a guess.
 *
 *     const rows = await JpegRows.open(source.stream())
 *     for (let strip; (strip = await rows.read(64)); ) …   // strip.length / rows.stride rows
 */
export class JpegRows {
  readonly width: number
  readonly height: number
  readonly channels: number
  /** Bytes per row. */
  readonly stride: number
  private readonly engine: Engine
  private readonly chunks: AsyncGenerator<Uint8Array>
  private done = 0
  private ended = false

  private constructor(engine: Engine, chunks: AsyncGenerator<Uint8Array>, ended: boolean) {
    const info = engine.exports.rows_out_info
    this.engine = engine
    this.chunks = chunks
    this.ended = ended
    this.width = info(0)
    this.height = info(1)
    this.channels = info(2)
    this.stride = this.width * this.channels
  }

  static async open(input: JpegInput, options: RowsOutOptions = {}): Promise<JpegRows> {
    const engine = new Engine()
    try {
      engine.exports.rows_out_begin(options.dctScale ?? 8, COLOUR_CODE[options.colour ?? 'natural'])
      const chunks = chunksOf(input)
      const ended = await feed(engine, chunks)
      return new JpegRows(engine, chunks, ended)
    } catch (error) {
      engine.close()
      throw error
    }
  }

  /** Before the last row; after it there is nothing left to dispose of. */
  [Symbol.dispose](): void {
    this.engine.close()
  }

  /** The next `count` whole rows (a copy of its own), fewer only at the end; undefined after the last. */
  async read(count: number): Promise<Uint8Array | undefined> {
    const rows = (await this.next(count))?.slice()
    if (rows && this.done === this.height) await this.close()
    return rows
  }

  /** The rest, `count` whole rows at a time: views that hold until the next are asked for. Nothing is left to dispose of. */
  async *strips(count: number): AsyncGenerator<Uint8Array> {
    try {
      for (let rows = await this.next(count); rows; rows = await this.next(count)) yield rows
      await this.close()
    } finally {
      this[Symbol.dispose]()
    }
  }

  private async next(count: number): Promise<Uint8Array | undefined> {
    const wanted = Math.min(count, this.height - this.done)
    if (wanted === 0) return undefined
    const pointer = this.rowsAt(wanted)
    let got = 0
    for (;;) {
      got += this.engine.exports.rows_out_read(pointer + got * this.stride, wanted - got)
      if (got === wanted) break
      await this.more()
    }
    this.done += got
    return new Uint8Array(this.engine.exports.memory.buffer, pointer, got * this.stride)
  }

  /** Where in the file the picture's end marker ended; after the last row. */
  endOffset = 0
  /** APPn and COM segments between the scans of the file, from their markers on; after the last row. */
  lateSegments: readonly Place[] = []
  /** What the Wasm memory took; after the last row. */
  memoryBytes = 0

  private place = 0
  private placeRows = 0

  private rowsAt(count: number): number {
    if (count > this.placeRows) {
      if (this.place) this.engine.exports.host_free(this.place)
      this.place = this.engine.exports.host_alloc(count * this.stride)
      this.placeRows = count
    }
    return this.place
  }

  /** Gives the engine more of the file. */
  private async more(): Promise<void> {
    if (this.ended) throw new EngineError('jpeg', 'truncated', 'the file ends inside the picture')
    const rest = this.engine.unread
    if (rest && rest.length > 0) {
      this.engine.unread = undefined
      this.engine.push(rest)
      return
    }
    const next = await this.chunks.next()
    if (!next.done) this.engine.push(next.value)
    else {
      this.ended = true
      this.engine.pushEnd()
    }
  }

  /** Reads on to the end marker, so that a picture which is complete but not ended counts as damaged. */
  private async close(): Promise<void> {
    while (!this.engine.exports.rows_out_end()) await this.more()
    await this.chunks.return(undefined)
    this.endOffset = this.engine.exports.end_offset()
    this.lateSegments = this.engine.lateSegments
    this.memoryBytes = this.engine.memoryBytes
    this.engine.close()
  }
}

/** Pushes until the engine is ready; true when the input ended with that. */
async function feed(engine: Engine, chunks: AsyncGenerator<Uint8Array>): Promise<boolean> {
  for (;;) {
    const next = await chunks.next()
    if (next.done) {
      if (!engine.pushEnd()) throw new EngineError('jpeg', 'truncated', 'the file ends before its picture')
      return true
    }
    if (engine.push(next.value)) return false
  }
}

import { EngineError } from '../engine-error.ts'
import { COLOUR_CODE, chunksOf, Engine, type FileRange, type JpegInput } from './engine.ts'

export interface RowsOutOptions {
  /**
   * Size in eighths of each side: 8 (default) full size, 4 half, 2 a quarter, 1 an eighth. The DCT does the scaling, which is fast and
   * smooth.
   */
  readonly dctScale?: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8
  /**
   * Colours of the rows. `natural` (default): grey with 1 channel, RGB for YCbCr and RGB, CMYK for CMYK and YCCK (as stored: Adobe files
   * are inverted, 255 is no ink). `gray`: luma. `rgba`: RGB with alpha 255. `ycbcr`: as stored. CMYK supports `natural` only.
   */
  readonly colour?: 'natural' | 'gray' | 'rgb' | 'rgba' | 'ycbcr'
}

/**
 * Decodes a JPEG to pixel rows, top to bottom. Baseline files need memory for a few rows, progressive files about two bytes per non-zero
 * coefficient (1.5 to 2 times the file size). Every kind of damage throws `EngineError`; missing data are never filled in.
 *
 *     const rows = await JpegRows.open(source.stream())
 *     for (let strip; (strip = await rows.read(64)); ) …   // strip.length / rows.stride rows
 */
export class JpegRows {
  readonly width: number
  readonly height: number
  readonly channels: number
  /** Bytes of one pixel row. */
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

  /** Frees the decoder before its last row. Not needed after the last row. */
  [Symbol.dispose](): void {
    this.engine.close()
  }

  /** Returns a copy of the next `count` whole rows; fewer at the end. `undefined`: after the last row. */
  async read(count: number): Promise<Uint8Array | undefined> {
    const rows = (await this.next(count))?.slice()
    if (rows && this.done === this.height) await this.close()
    return rows
  }

  /**
   * Yields the remaining rows, `count` whole rows at a time, as views that are valid until the next ones are requested. Disposes the
   * decoder at the end.
   */
  async *strips(count: number): AsyncGenerator<Uint8Array> {
    try {
      for (let rows = await this.next(count); rows; rows = await this.next(count)) yield rows
      await this.close()
    } finally {
      this[Symbol.dispose]()
    }
  }

  private async next(count: number): Promise<Uint8Array | undefined> {
    const rowCount = Math.min(count, this.height - this.done)
    if (rowCount === 0) return undefined
    const pointer = this.rowBufferFor(rowCount)
    let readRows = 0
    for (;;) {
      readRows += this.engine.exports.rows_out_read(pointer + readRows * this.stride, rowCount - readRows)
      if (readRows === rowCount) break
      await this.more()
    }
    this.done += readRows
    return new Uint8Array(this.engine.exports.memory.buffer, pointer, readRows * this.stride)
  }

  /** Offset in the file of the first byte after the picture's end marker. Set after the last row. */
  endOffset = 0
  /** APPn and COM segments between the scans of the file, including their markers. Set after the last row. */
  lateSegments: readonly FileRange[] = []
  /** Peak of the WebAssembly memory in bytes. Set after the last row. */
  memoryBytes = 0

  private rowBuffer = 0
  private rowBufferRows = 0

  private rowBufferFor(count: number): number {
    if (count > this.rowBufferRows) {
      if (this.rowBuffer) this.engine.exports.host_free(this.rowBuffer)
      this.rowBuffer = this.engine.exports.host_alloc(count * this.stride)
      this.rowBufferRows = count
    }
    return this.rowBuffer
  }

  /** Feeds the next bytes of the file to the engine. */
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

  /** Reads up to the end marker, so that a picture without an end marker counts as damaged. */
  private async close(): Promise<void> {
    while (!this.engine.exports.rows_out_end()) await this.more()
    await this.chunks.return(undefined)
    this.endOffset = this.engine.exports.end_offset()
    this.lateSegments = this.engine.lateSegments
    this.memoryBytes = this.engine.memoryBytes
    this.engine.close()
  }
}

/** Feeds the file until the engine has the header. Returns true if the input has ended. */
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

/**
 * Streams PNG rows: `decodePng` decodes the rows of a file; `PngEncoder` encodes rows as a file, or as a zlib stream with PNG predictors
 * for PDF. Memory does not depend on the height.
 */

import { EngineError } from '../engine-error.ts'
import { discard } from '../memories/discard.ts'
import { Disposables } from '../memories/disposables.ts'
import { type Bytes, chunk, colourChunks, readPng, startOfPng, withColours } from './chunks.ts'
import { type Effort, type PictureHeader, PngEngine, type RowForm, rowBytesOf } from './engine.ts'

export { type Bytes, type PngEvent, readPng } from './chunks.ts'
export * from './engine.ts'

/** Chunk that is neither IHDR, PLTE, tRNS, image data nor IEND. */
export interface AncillaryChunk {
  readonly type: string
  readonly data: Uint8Array
}

/** Header and chunks before the image data. */
export interface PngInfo {
  readonly header: PictureHeader
  readonly animated: boolean
  readonly chunks: readonly AncillaryChunk[]
}

/** Reads the chunks before the image data. @throws EngineError if the file is damaged */
export async function readPngInfo(bytes: Bytes): Promise<PngInfo> {
  let header: PictureHeader | undefined
  const chunks: AncillaryChunk[] = []
  for await (const event of readPng(bytes)) {
    if (event.kind === 'header') header = event.header
    else if (event.kind !== 'chunk') break
    else if (header && (event.type === 'PLTE' || event.type === 'tRNS')) header = withColours(header, event.type, event.data, event.offset)
    else chunks.push({ type: event.type, data: event.data })
  }
  if (!header) throw new EngineError('png', 'truncated', 'no image data')
  if (header.colourType === 3 && !header.palette) throw new EngineError('png', 'damaged', 'an indexed picture without PLTE')
  return { header, animated: chunks.some(({ type }) => type === 'acTL'), chunks }
}

/**
 * Decodes the default image. `onInfo` is called before the first row. `onRow` gets each row in order, Adam7 pictures included, as a view
 * that is valid during the call. At most about 16 MB of rows come between two reads of `bytes`. The chunks after the image data are
 * checked, too. @throws EngineError if the file is damaged; `memory` for Adam7 pictures above `GATHER_BYTES`
 */
export async function decodePng(
  bytes: Bytes,
  form: RowForm,
  onRow: (row: Uint8Array, y: number) => void,
  onInfo: (info: PngInfo) => void = () => undefined,
): Promise<PngInfo> {
  let info: PngInfo | undefined
  for await (const found of decodeSteps(bytes, form, onRow, onInfo)) info = found
  if (!info) throw new EngineError('png', 'truncated', 'no image data')
  return info
}

/** Yields rows in batches for asynchronous consumers. The consumer owns each batch and may discard it. */
export async function* pngRows(bytes: Bytes, form: RowForm): AsyncGenerator<{ rows: Uint8Array; y: number; count: number; info: PngInfo }> {
  let batch = new Uint8Array()
  let filled = 0
  let count = 0
  let nextRow = 0
  const add = (row: Uint8Array) => {
    if (filled + row.length > batch.length) {
      const larger = new Uint8Array(Math.max(64 * 1024, 2 * (filled + row.length)))
      larger.set(batch.subarray(0, filled))
      discard(batch)
      batch = larger
    }
    batch.set(row, filled)
    filled += row.length
    count++
  }
  for await (const info of decodeSteps(cut(bytes, 4096), form, add)) {
    if (count === 0) continue
    yield { rows: batch.slice(0, filled), y: nextRow, count, info }
    nextRow += count
    filled = count = 0
  }
  discard(batch)
}

/** Decodes the file in steps. Yields after every piece of image data, and once at the end. */
async function* decodeSteps(
  bytes: Bytes,
  form: RowForm,
  onRow: (row: Uint8Array, y: number) => void,
  onInfo: (info: PngInfo) => void = () => undefined,
): AsyncGenerator<PngInfo> {
  let info: PngInfo | undefined
  let engine: PngEngine | undefined
  let header: PictureHeader | undefined
  const chunks: AncillaryChunk[] = []
  using engines = new Disposables()
  for await (const event of readPng(bytes)) {
    if (event.kind === 'header') {
      header = event.header
    } else if (event.kind === 'chunk') {
      if (header && !engine && (event.type === 'PLTE' || event.type === 'tRNS')) {
        header = withColours(header, event.type, event.data, event.offset)
      } else {
        chunks.push({ type: event.type, data: event.data })
      }
    } else if (event.kind === 'data' && event.type === 'IDAT' && header) {
      if (!engine || !info) {
        engine = engines.use(openRows(header, form, onRow))
        info = { header, animated: chunks.some(({ type }) => type === 'acTL'), chunks }
        onInfo(info)
      }
      engine.feed(event.bytes)
      yield info
    }
  }
  if (!engine || !info) throw new EngineError('png', 'truncated', 'no image data')
  engine.frameEnd()
  yield info
  const atOnce = Math.max(1, Math.floor(DELIVERED_BYTES / rowBytesOf(info.header, info.header.width)))
  for (let left = 1; left > 0; yield info) left = engine.deliver(atOnce)
}

/** Bytes of Adam7 rows that are delivered at a time. */
const DELIVERED_BYTES = 256 * 1024

function openRows(header: PictureHeader, form: RowForm, onRow: (row: Uint8Array, y: number) => void): PngEngine {
  if (header.colourType === 3 && !header.palette) throw new EngineError('png', 'damaged', 'an indexed picture without PLTE')
  const engine = new PngEngine(header)
  if (!engine.inOrder)
    throw new EngineError(
      'png',
      'memory',
      `the interlaced picture of ${header.width} x ${header.height} pixels is too large to decode in row order`,
    )
  engine.onRow = onRow
  engine.deliverLater()
  engine.begin('rows', { form })
  engine.frame()
  return engine
}

async function* cut(bytes: Bytes, size: number): AsyncGenerator<Uint8Array> {
  for await (const part of bytes) for (let at = 0; at < part.length; at += size) yield part.subarray(at, at + size)
}

/** Effort for most rows: 1.1 CPU seconds a megabyte of rows. `QUICK_EFFORT` takes a tenth of the time and 5 % more bytes. */
export const THOROUGH_EFFORT: Effort = { level: 12, trialLevel: 6, strategies: 0x7f, bandBytes: 131072, passes: 0 }
export const QUICK_EFFORT: Effort = { level: 7, trialLevel: 3, strategies: 0x13, bandBytes: 131072, passes: 0 }

/**
 * Encodes rows while they arrive, in the form of `header` (native PNG rows: 16-bit samples big-endian, small samples packed). The form
 * stays; to search for the smallest form, use images/png/lossless-search.ts.
 *
 * ```ts
 * const encoder = new PngEncoder({ width, height, colourType: 2, bitDepth: 8 }, THOROUGH_EFFORT)
 * for (const row of rows) { encoder.writeRow(row); for (const piece of encoder.take()) await sink.write(piece) }
 * for (const piece of encoder.finish()) await sink.write(piece)
 * ```
 */
export class PngEncoder {
  readonly #engine: PngEngine
  readonly #bare: boolean
  readonly #rowBytes: number
  #out: Uint8Array[] = []

  /**
   * Opens an encoder. `chunks` are written before the image data (for their order see W3C PNG, 5.6). `bare`: writes only the zlib stream
   * of filtered rows, without chunks (PDF: `/FlateDecode` with `/Predictor 15`).
   */
  constructor(header: PictureHeader, effort: Effort = THOROUGH_EFFORT, how: { chunks?: readonly AncillaryChunk[]; bare?: boolean } = {}) {
    if (header.interlaced) throw new EngineError('png', 'misuse', 'PngEncoder cannot write interlaced files')
    this.#engine = new PngEngine(header)
    this.#bare = how.bare === true
    this.#rowBytes = rowBytesOf(header, header.width)
    this.#engine.planUnchanged()
    this.#engine.setEffort(effort)
    if (!this.#bare) {
      const layout = this.#engine.layout()
      const early = (how.chunks ?? []).filter(({ type }) => BEFORE_PALETTE.has(type))
      const late = (how.chunks ?? []).filter(({ type }) => !BEFORE_PALETTE.has(type))
      this.#out.push(startOfPng(header.width, header.height, layout, false))
      for (const { type, data } of early) this.#out.push(chunk(type, data))
      for (const bytes of colourChunks(layout)) this.#out.push(bytes)
      for (const { type, data } of late) this.#out.push(chunk(type, data))
    }
    this.#engine.begin('encode')
    this.#engine.frame()
  }

  get memoryBytes(): number {
    return this.#engine.memoryBytes
  }

  writeRow(row: Uint8Array): void {
    if (row.length !== this.#rowBytes) throw new EngineError('png', 'misuse', `a row of ${row.length} bytes, ${this.#rowBytes} expected`)
    this.#engine.takeRow(row)
  }

  /** Returns the bytes of the PNG file that are ready. */
  take(): Uint8Array[] {
    const pieces = [...this.#out, ...this.#engine.drain().map((piece) => (this.#bare ? piece : chunk('IDAT', piece)))]
    this.#out = []
    return pieces
  }

  /** Ends the file after the last row, returns its remaining bytes and disposes the encoder. */
  finish(): Uint8Array[] {
    this.#engine.frameEnd()
    const rest = [...this.take(), ...(this.#bare ? [] : [chunk('IEND')])]
    this[Symbol.dispose]()
    return rest
  }

  /** Frees the encoder without finishing the file. Not needed after `finish`. */
  [Symbol.dispose](): void {
    this.#engine[Symbol.dispose]()
  }
}

/** Types of chunks that must precede PLTE (W3C PNG, 5.6). */
export const BEFORE_PALETTE: ReadonlySet<string> = new Set(['cHRM', 'cICP', 'gAMA', 'iCCP', 'mDCV', 'cLLI', 'sBIT', 'sRGB'])

/**
 * PNG rows in and out, for whoever needs them: `decodePng` gives the rows of a file, `PngEncoder` makes a file (or a bare zlib
 * stream with PNG predictors, as PDF wants it) of rows. Both stream; the memory does not depend on the height.
 */
import { EngineError } from '../engine-error.ts'
import { discard } from '../memories/discard.ts'
import { type Bytes, chunk, colourChunks, readPng, startOfPng, withColours } from './chunks.ts'
import { type Effort, type PictureHeader, PngEngine, type RowForm, rowBytesOf } from './engine.ts'

export { type Bytes, type PngEvent, readPng } from './chunks.ts'
export * from './engine.ts'

/** A chunk that is neither IHDR, PLTE, tRNS, image data nor IEND. */
export interface AncillaryChunk {
  readonly type: string
  readonly data: Uint8Array
}

/** What stands in front of the image data. */
export interface PngInfo {
  readonly header: PictureHeader
  readonly animated: boolean
  readonly chunks: readonly AncillaryChunk[]
}

/** Reads up to the first image data. Throws `EngineError`. */
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
 * Decodes the (default) image. `onInfo` comes before the first row. `onRow` gets each row in order, a view that is valid
 * during the call only; Adam7 pictures are put in order. At most some 16 MB of rows come between two reads of `bytes`, usually
 * far less. The chunks after the image data are read and checked, too. Throws `EngineError`; `memory` for Adam7 pictures above
 * `GATHER_BYTES`.
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

/** Rows of a file in batches, for consumers that are asynchronous. The batches belong to the consumer, who may discard them. */
export async function* pngRows(bytes: Bytes, form: RowForm): AsyncGenerator<{ rows: Uint8Array; y: number; count: number; info: PngInfo }> {
  let room = new Uint8Array()
  let filled = 0
  let count = 0
  let nextRow = 0
  const add = (row: Uint8Array) => {
    if (filled + row.length > room.length) {
      const larger = new Uint8Array(Math.max(64 * 1024, 2 * (filled + row.length)))
      larger.set(room.subarray(0, filled))
      discard(room)
      room = larger
    }
    room.set(row, filled)
    filled += row.length
    count++
  }
  for await (const info of decodeSteps(cut(bytes, 4096), form, add)) {
    if (count === 0) continue
    yield { rows: room.slice(0, filled), y: nextRow, count, info }
    nextRow += count
    filled = count = 0
  }
  discard(room)
}

/** Yields after every piece of image data, and once at the end. */
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
  using engines = new DisposableStack()
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

/** Rows of an Adam7 picture at a time. */
const DELIVERED_BYTES = 256 * 1024

function openRows(header: PictureHeader, form: RowForm, onRow: (row: Uint8Array, y: number) => void): PngEngine {
  if (header.colourType === 3 && !header.palette) throw new EngineError('png', 'damaged', 'an indexed picture without PLTE')
  const engine = new PngEngine(header)
  if (!engine.inOrder)
    throw new EngineError('png', 'memory', `an interlaced picture of ${header.width} x ${header.height} cannot be put in order`)
  engine.onRow = onRow
  engine.deliverLater()
  engine.begin('rows', { form })
  engine.frame()
  return engine
}

async function* cut(bytes: Bytes, size: number): AsyncGenerator<Uint8Array> {
  for await (const part of bytes) for (let at = 0; at < part.length; at += size) yield part.subarray(at, at + size)
}

/** Good for most rows: 1.1 CPU-seconds a megabyte of rows. `QUICK` takes a tenth and gives some 5 % more bytes. */
export const THOROUGH: Effort = { level: 12, trialLevel: 6, strategies: 0x7f, bandBytes: 131072, passes: 0 }
export const QUICK: Effort = { level: 7, trialLevel: 3, strategies: 0x13, bandBytes: 131072, passes: 0 }

/**
 * Encodes rows as they come, in the form of `header` (native PNG rows: 16-bit samples big-endian, small samples packed).
 * The form is kept; who wants the best one analyses first (`recompress.ts`).
 *
 * ```ts
 * const encoder = new PngEncoder({ width, height, colourType: 2, bitDepth: 8 }, THOROUGH)
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
   * `chunks` are written in front of the image data (see W3C PNG, 5.6 for their order). `bare`: no chunks at all, just the
   * zlib stream of filtered rows (PDF: `/FlateDecode` with `/Predictor 15`).
   */
  constructor(header: PictureHeader, effort: Effort = THOROUGH, how: { chunks?: readonly AncillaryChunk[]; bare?: boolean } = {}) {
    if (header.interlaced) throw new EngineError('png', 'misuse', 'rows are encoded in order')
    this.#engine = new PngEngine(header)
    this.#bare = how.bare === true
    this.#rowBytes = rowBytesOf(header, header.width)
    this.#engine.planVerbatim()
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

  /** What is ready. */
  take(): Uint8Array[] {
    const pieces = [...this.#out, ...this.#engine.drain().map((piece) => (this.#bare ? piece : chunk('IDAT', piece)))]
    this.#out = []
    return pieces
  }

  /** After the last row: the rest of the file. */
  finish(): Uint8Array[] {
    this.#engine.frameEnd()
    const rest = [...this.take(), ...(this.#bare ? [] : [chunk('IEND')])]
    this[Symbol.dispose]()
    return rest
  }

  /** Without a file; `finish` does so, too. */
  [Symbol.dispose](): void {
    this.#engine[Symbol.dispose]()
  }
}

/** Chunks that stand before PLTE (W3C PNG, 5.6). */
export const BEFORE_PALETTE: ReadonlySet<string> = new Set(['cHRM', 'cICP', 'gAMA', 'iCCP', 'mDCV', 'cLLI', 'sBIT', 'sRGB'])

import { EngineError } from '../engine-error.ts'
import { type Engine, instantiate, retire } from '../memories/memories.ts'
import wasmModule from './jpegls.wasm'

/** Exports of the WebAssembly engine (jpegls.c). */
interface Exports extends Engine {
  rows_at(): number
  code_at(): number
  code_room(): number
  begin(width: number, components: number, bits: number, sampleBytes: number): number
  begin_encoding(): void
  encode_rows(count: number): number
  end_encoding(): number
  begin_decoding(): void
  decode_rows(count: number, bytes: number): number
  consumed(): number
}

/** Format of a JPEG-LS picture. Samples are little endian, interleaved by pixel, in one or two bytes. */
export interface JpegLsFrame {
  readonly width: number
  readonly height: number
  readonly components: number
  /** Precision of a sample in bits, 2 to 16. */
  readonly bits: number
  readonly sampleBytes: 1 | 2
}

const ROOM_SAMPLES = 1 << 18
/** Memory in bytes, as in build.sh. */
const MEMORY_BYTES = 4_456_448

/**
 * Lossless JPEG-LS coder (ISO/IEC 14495-1, NEAR 0, line interleaving) in 4.5 MB of memory. Frames may have any height, because rows are
 * processed in batches. Do not run `encode` and `decode` at the same time. Its memory is pooled, so use it with `using`.
 */
export class JpegLs implements Disposable {
  #engine: Exports

  constructor() {
    this.#engine = instantiate<Exports>(wasmModule, {}, undefined, MEMORY_BYTES)
  }

  [Symbol.dispose](): void {
    this.#engine = retire(this.#engine)
  }

  get memoryBytes(): number {
    return this.#engine.heap_top()
  }

  static readonly maxWidth = 65_535

  /**
   * Encodes a frame as a complete stream, from SOI to EOI.
   * @param rows returns bytes `offset` to `offset + length` of the frame's samples
   * @throws EngineError if a sample needs more than `frame.bits` bits
   */
  async *encode(frame: JpegLsFrame, rows: (offset: number, length: number) => Promise<Uint8Array>): AsyncGenerator<Uint8Array> {
    const engine = this.#begin(frame)
    engine.begin_encoding()
    yield header(frame)
    const rowBytes = frame.width * frame.components * frame.sampleBytes
    const batch = rowsAtOnce(frame)
    for (let row = 0; row < frame.height; row += batch) {
      const count = Math.min(batch, frame.height - row)
      const samples = await rows(row * rowBytes, count * rowBytes)
      new Uint8Array(engine.memory.buffer, engine.rows_at(), samples.length).set(samples)
      const written = engine.encode_rows(count)
      if (written < 0) throw new EngineError('jpegls', 'damaged', `a sample of rows ${row}–${row + count} has more than ${frame.bits} bits`)
      yield this.#code(written)
    }
    yield this.#code(engine.end_encoding())
    yield Uint8Array.of(0xff, 0xd9)
  }

  /**
   * Decodes a stream that this coder wrote, and yields batches of rows.
   * @throws EngineError if the stream is damaged
   */
  async *decode(
    frame: JpegLsFrame,
    size: number,
    read: (offset: number, length: number) => Promise<Uint8Array>,
  ): AsyncGenerator<Uint8Array> {
    const engine = this.#begin(frame)
    engine.begin_decoding()
    const wanted = header(frame)
    const got = await read(0, wanted.length)
    if (got.length !== wanted.length || wanted.some((byte, i) => byte !== got[i]))
      throw new EngineError('jpegls', 'damaged', 'the header of the JPEG-LS stream differs from the frame format')
    const room = engine.code_room()
    const window = new Uint8Array(Math.min(room, size))
    let held = 0
    let next = wanted.length
    const batch = rowsAtOnce(frame)
    for (let row = 0; row < frame.height; row += batch) {
      if (held < room / 2 && next < size) {
        const more = await read(next, Math.min(room - held, size - next))
        if (more.length === 0) throw new EngineError('jpegls', 'damaged', `the code ends at ${next} of ${size}`)
        window.set(more, held)
        held += more.length
        next += more.length
        if (held < room && next < size) {
          row -= batch // after a short read, fill the window first, so that no row exceeds it
          continue
        }
      }
      const count = Math.min(batch, frame.height - row)
      new Uint8Array(engine.memory.buffer, engine.code_at(), held).set(window.subarray(0, held))
      if (!engine.decode_rows(count, held)) throw new EngineError('jpegls', 'damaged', `the code ends inside rows ${row}–${row + count}`)
      const used = engine.consumed()
      window.copyWithin(0, used, held)
      held -= used
      yield new Uint8Array(engine.memory.buffer, engine.rows_at(), count * frame.width * frame.components * frame.sampleBytes).slice()
    }
    const tail = new Uint8Array(held + (size - next))
    tail.set(window.subarray(0, held))
    if (next < size) tail.set(await read(next, size - next), held)
    if (tail.length > 16 || !endsWithEoi(tail))
      throw new EngineError('jpegls', 'damaged', 'the end-of-image marker is missing after the rows')
  }

  #begin(frame: JpegLsFrame): Exports {
    if (!this.#engine.begin(frame.width, frame.components, frame.bits, frame.sampleBytes)) {
      throw new RangeError(`JPEG-LS does not support frames of width ${frame.width}, ${frame.components} × ${frame.bits} bits`)
    }
    return this.#engine
  }

  #code(bytes: number): Uint8Array {
    return new Uint8Array(this.#engine.memory.buffer, this.#engine.code_at(), bytes).slice()
  }
}

/** Rows per batch: their samples fit in the engine, and its code buffer holds twice their largest possible code. */
function rowsAtOnce({ width, components }: JpegLsFrame): number {
  return Math.max(1, Math.floor(ROOM_SAMPLES / 2 / (width * components)))
}

/** True if the bytes end with EOI, or with EOI and the zero byte that pads a fragment to even length. */
function endsWithEoi(tail: Uint8Array): boolean {
  const end = tail.at(-1) === 0 ? tail.length - 1 : tail.length
  return tail[end - 2] === 0xff && tail[end - 1] === 0xd9
}

/** Builds the JPEG-LS header: SOI, SOF55 (ISO/IEC 14495-1, C.2.2) and SOS (C.2.3). */
function header({ width, height, components, bits }: JpegLsFrame): Uint8Array {
  const ids = Array.from({ length: components }, (_, i) => i + 1)
  const word = (value: number) => [value >> 8, value & 255]
  return Uint8Array.from([
    ...[0xff, 0xd8],
    ...[0xff, 0xf7, ...word(8 + 3 * components), bits, ...word(height), ...word(width), components],
    ...ids.flatMap((id) => [id, 0x11, 0]), // component id, sampling factors 1 × 1, Tq 0
    ...[0xff, 0xda, ...word(6 + 2 * components), components],
    ...ids.flatMap((id) => [id, 0]), // component id, mapping table 0 (none)
    ...[0, components > 1 ? 1 : 0, 0], // NEAR 0 (lossless), interleave mode, point transform 0
  ])
}

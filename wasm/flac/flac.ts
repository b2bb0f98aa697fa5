import { CODEC_MEMORIES, type Engine, instantiate, retire } from '../memories/memories.ts'
import { refusedWasi } from '../wasi.ts'
import wasmModule from './flac.wasm'

interface Exports extends Engine {
  _initialize?(): void
  sample_buffer(): number
  room_frames(): number
  reserve(bytes: number): number
  add_application(at: number, bytes: number): number
  add_comment(at: number, bytes: number): number
  add_picture(type: number, mime: number, description: number, data: number, bytes: number): number
  open_encoder(channels: number, bits: number, hertz: number, level: number, total: number, precise: number): number
  encode(frames: number): number
  finish(): number
  open_decoder(channels: number, bits: number, hertz: number): number
  decode_step(): number
  decode_finish(): number
}

/** Initial memory of the engine in bytes, as in `build.sh`. */
const FIRST_BYTES = 2_621_440

/**
 * Receives the interleaved samples of one frame, which are valid until it returns. `end`: offset in the pushed stream at which the frame
 * ends.
 */
type TakeFrame = (interleaved: Int32Array, end: number) => void

interface Hooks {
  bytes?: (chunk: Uint8Array) => void
  info?: (streamInfo: Uint8Array) => void
  samples?: TakeFrame
  input?: (room: number) => Uint8Array
}

function instance(hooks: Hooks, channels: number): Exports {
  let memory: WebAssembly.Memory
  const imports = refusedWasi(wasmModule, {
    flac_bytes: (at: number, count: number) => hooks.bytes?.(new Uint8Array(memory.buffer, at, count).slice()),
    flac_info: (at: number, count: number) => hooks.info?.(new Uint8Array(memory.buffer, at, count).slice()),
    flac_samples: (at: number, frames: number, end: number) => hooks.samples?.(new Int32Array(memory.buffer, at, frames * channels), end),
    flac_input: (at: number, room: number) => {
      const chunk = hooks.input?.(room) ?? new Uint8Array()
      new Uint8Array(memory.buffer, at, chunk.length).set(chunk)
      return chunk.length
    },
  })
  const exports = instantiate<Exports>(wasmModule, imports, CODEC_MEMORIES, FIRST_BYTES)
  memory = exports.memory
  exports._initialize?.()
  return exports
}

interface FlacPicture {
  /** Picture type, with the numbers of ID3v2 APIC frames. */
  readonly type: number
  readonly mime: string
  readonly description: string
  readonly data: Uint8Array
}

export interface FlacStream {
  readonly channels: number
  readonly bits: number
  readonly hertz: number
  /** libFLAC compression level, 0 to 8. */
  readonly level: number
  readonly totalFrames: number
  /** True to try every precision of the predictor, which takes about three times as long. Default: false. */
  readonly precise?: boolean
}

export interface FlacMetadata {
  /** Vorbis comments, `NAME=value`. */
  readonly comments: readonly string[]
  /** APPLICATION blocks: four bytes of id, then data. */
  readonly applications: readonly Uint8Array[]
  readonly pictures: readonly FlacPicture[]
}

/** Offset of the 34-byte STREAMINFO that `finish` returns: after `fLaC` and the block header. */
export const STREAM_INFO_OFFSET = 8

/** libFLAC encoder for one stream. Its memory is pooled, so use it with `using`. */
export class FlacEncoder implements Disposable {
  #exports: Exports
  readonly #channels: number
  #chunks: Uint8Array[] = []
  #info: Uint8Array | undefined

  /** @throws RangeError if libFLAC rejects the parameters */
  constructor({ channels, bits, hertz, level, totalFrames, precise = false }: FlacStream, metadata: FlacMetadata) {
    this.#channels = channels
    this.#exports = instance({ bytes: (chunk) => this.#chunks.push(chunk), info: (bytes) => (this.#info = bytes) }, channels)
    this.#add(metadata)
    if (!this.#exports.open_encoder(channels, bits, hertz, level, totalFrames, precise ? 1 : 0))
      throw new RangeError(`libFLAC rejected ${channels} channels of ${bits} bits at ${hertz} Hz`)
  }

  #add({ comments, applications, pictures }: FlacMetadata): void {
    const place = (bytes: Uint8Array) => {
      const at = this.#exports.reserve(bytes.length)
      new Uint8Array(this.#exports.memory.buffer, at, bytes.length).set(bytes)
      return at
    }
    const encoder = new TextEncoder()
    for (const comment of comments) {
      const bytes = encoder.encode(comment)
      if (!this.#exports.add_comment(place(bytes), bytes.length)) throw new RangeError('libFLAC refused a comment')
    }
    for (const block of applications) {
      if (!this.#exports.add_application(place(block), block.length)) throw new RangeError('libFLAC refused a block')
    }
    for (const { type, mime, description, data } of pictures) {
      const text = (value: string) => place(encoder.encode(`${value}\0`))
      if (!this.#exports.add_picture(type, text(mime), text(description), place(data), data.length))
        throw new RangeError('libFLAC refused a picture')
    }
  }

  get memoryBytes(): number {
    return this.#exports.memory.buffer.byteLength
  }

  [Symbol.dispose](): void {
    this.#exports = retire(this.#exports)
  }

  /** Encodes interleaved samples. @returns the bytes produced so far */
  encode(interleaved: Int32Array): Uint8Array[] {
    const step = this.#exports.room_frames() * this.#channels
    for (let at = 0; at < interleaved.length; at += step) {
      const part = interleaved.subarray(at, at + step)
      new Int32Array(this.#exports.memory.buffer, this.#exports.sample_buffer(), part.length).set(part)
      if (!this.#exports.encode(part.length / this.#channels)) throw new RangeError('libFLAC failed to encode samples')
    }
    return this.#take()
  }

  /** Returns the last bytes, and the final STREAMINFO for `STREAM_INFO_OFFSET`. */
  finish(): { chunks: Uint8Array[]; streamInfo: Uint8Array } {
    if (!this.#exports.finish() || !this.#info) throw new RangeError('libFLAC failed to finish the stream')
    return { chunks: this.#take(), streamInfo: this.#info }
  }

  #take(): Uint8Array[] {
    const chunks = this.#chunks
    this.#chunks = []
    return chunks
  }
}

/**
 * libFLAC decoder. `push` adds input, and `run` passes samples to `take`. `run` pauses while less than `AHEAD_BYTES` of input are waiting,
 * until `end` is called. Its memory is pooled, so use it with `using`.
 */
export class FlacDecoder implements Disposable {
  #exports: Exports
  #waiting: Uint8Array[] = []
  #waitingBytes = 0
  #ended = false
  static readonly AHEAD_BYTES = 2 * 1024 * 1024

  /** `known`: bits per sample and sample rate of every frame; others are damage. `undefined`: frames may have any. */
  constructor(channels: number, take: TakeFrame, known?: { readonly bits: number; readonly hertz: number }) {
    this.#exports = instance({ samples: take, input: (room) => this.#input(room) }, channels)
    if (!this.#exports.open_decoder(channels, known?.bits ?? 0, known?.hertz ?? 0)) throw new RangeError('libFLAC refused to decode')
  }

  [Symbol.dispose](): void {
    this.#exports = retire(this.#exports)
  }

  push(chunk: Uint8Array): void {
    this.#waiting.push(chunk)
    this.#waitingBytes += chunk.length
  }

  end(): void {
    this.#ended = true
  }

  /** Decodes the waiting input. @returns false if the stream is damaged */
  run(): boolean {
    for (;;) {
      const step = this.step()
      if (step !== 'decoded') return step !== 'damaged'
    }
  }

  /** Decodes one frame or metadata block. `hungry`: it needs more input. `end`: nothing follows. */
  step(): 'decoded' | 'hungry' | 'end' | 'damaged' {
    if (!this.#ended && this.#waitingBytes < FlacDecoder.AHEAD_BYTES) return 'hungry'
    const step = this.#exports.decode_step()
    return step < 0 ? 'damaged' : step === 0 ? 'end' : 'decoded'
  }

  /** True if the MD5 in the header matches all samples. */
  finish(): boolean {
    return this.#exports.decode_finish() !== 0
  }

  #input(room: number): Uint8Array {
    const [first] = this.#waiting
    if (!first) return new Uint8Array()
    const part = first.subarray(0, room)
    if (part.length === first.length) this.#waiting.shift()
    else this.#waiting[0] = first.subarray(room)
    this.#waitingBytes -= part.length
    return part
  }
}

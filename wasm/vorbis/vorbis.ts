import { EngineError } from '../engine-error.ts'
import { type Engine, instantiate, retire } from '../memories/memories.ts'
import { refusedWasi } from '../wasi.ts'
import wasmModule from './vorbis.wasm'

interface Exports extends Engine {
  _initialize?(): void
  packet_buffer(bytes: number): number
  channel_samples(channel: number): number
  header(bytes: number): number
  decode(bytes: number): number
}

/** A comment header without comments, so that large ones take no memory of the engine (Vorbis I, section 5). */
const NO_COMMENTS = Uint8Array.of(3, 0x76, 0x6f, 0x72, 0x62, 0x69, 0x73, 0, 0, 0, 0, 0, 0, 0, 0, 1)

/** Decoder of libvorbis for one stream of at most eight channels. Its memory is pooled, so use it with `using`. */
export class VorbisDecoder implements Disposable {
  #exports: Exports
  readonly #channels: number

  /**
   * @param identification first header packet
   * @param setup third header packet
   * @throws EngineError (damaged) if libvorbis rejects a header, (memory) if its codebooks are too large
   */
  constructor(identification: Uint8Array, setup: Uint8Array) {
    const imports = refusedWasi(wasmModule, {
      fail: () => {
        throw new EngineError('vorbis', 'memory', 'the codebooks of the stream are too large')
      },
    })
    this.#exports = instantiate<Exports>(wasmModule, imports)
    this.#exports._initialize?.()
    this.#channels = identification[11] ?? 0
    try {
      for (const packet of [identification, NO_COMMENTS, setup])
        if (!this.#exports.header(this.#place(packet))) throw new EngineError('vorbis', 'damaged', 'libvorbis rejected a header packet')
    } catch (error) {
      this[Symbol.dispose]()
      throw error
    }
  }

  [Symbol.dispose](): void {
    this.#exports = retire(this.#exports)
  }

  /** Decodes one packet to planar samples, a copy. The first packet has none. `undefined`: the packet is damaged. */
  decode(packet: Uint8Array): Float32Array[] | undefined {
    const frames = this.#exports.decode(this.#place(packet))
    if (frames < 0) return undefined
    const { memory } = this.#exports
    return Array.from({ length: this.#channels }, (_, channel) =>
      new Float32Array(memory.buffer, this.#exports.channel_samples(channel), frames).slice(),
    )
  }

  #place(packet: Uint8Array): number {
    const at = this.#exports.packet_buffer(packet.length)
    new Uint8Array(this.#exports.memory.buffer, at, packet.length).set(packet)
    return packet.length
  }
}

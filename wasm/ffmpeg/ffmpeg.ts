/**
 * Binding of FFmpeg's decoders, x264, and FFmpeg's AAC encoder (GPL; only `whittle-media` may import it). Use one engine per job, with
 * `using`: the next engine reuses its memory. Calls are synchronous and process one packet or frame, so callers can await between calls.
 */
import { EngineError } from '../engine-error.ts'
import { createInstance } from '../loading/engine-files.ts'
import { MemoryPool } from '../memories/memories.ts'
import { refusedWasi } from '../wasi.ts'
import wasmModule from './ffmpeg.wasm'
import { expandedBytes, expandPalette } from './palette.ts'

interface Exports {
  memory: WebAssembly.Memory
  _initialize?(): void
  quiet(): void
  reserve(bytes: number): number
  release(block: number): void
  video_open(
    which: number,
    name: number,
    extra: number,
    extraBytes: number,
    width: number,
    height: number,
    tag: number,
    bits: number,
    reorder: number,
  ): number
  video_send(which: number, block: number, bytes: number, pts: number, key: number): number
  video_receive(which: number): number
  video_flush(which: number): void
  picture_pts(): number
  picture_width(): number
  picture_height(): number
  picture_damaged(): number
  picture_interlaced(): number
  picture_depth(): number
  picture_transfer(): number
  picture_alpha(): number
  picture_luma(): number
  luma_stride(): number
  compare(ssim: number): number
  last_mse(): number
  last_ssim(): number
  encoder_begin(preset: number): number
  encoder_option(name: number, value: number): number
  encoder_open(rateNum: number, rateDen: number, timescale: number, annexb: number): number
  encoder_headers(): number
  encode(pts: number, forceKey: number): number
  encoder_drain(): number
  packet_data(): number
  packet_bytes(): number
  packet_key(): number
  packet_pts(): number
  packet_psnr(): number
  packet_ssim(): number
  measure_packet(): number
  audio_open(
    which: number,
    name: number,
    extra: number,
    extraBytes: number,
    hertz: number,
    channels: number,
    bits: number,
    align: number,
    tag: number,
  ): number
  audio_send(which: number, block: number, bytes: number): number
  audio_receive(which: number): number
  sound_samples(): number
  sound_channels(): number
  sound_hertz(): number
  sound_planar(): number
  aac_open(hertz: number, channels: number, bitsPerSecond: number): number
  aac_config(): number
  aac_config_bytes(): number
  aac_delay(): number
  aac_channel(channel: number): number
  aac_encode(index: number): number
  aac_finish(): number
}

const NEED_INPUT = 0
const READY = 1
/** Zero bytes that FFmpeg requires after every input (AV_INPUT_BUFFER_PADDING_SIZE). */
const PADDING_BYTES = 64

export interface VideoStream {
  /** FFmpeg's decoder name, for example `h264` or `mpeg4`. */
  decoder: string
  /** Decoder configuration from the container: avcC body, esds configuration, or the bytes after a BITMAPINFOHEADER. */
  extradata: Uint8Array
  width: number
  height: number
  /** FourCC of the codec as a little-endian number. */
  tag: number
  bitsPerSample: number
  /** Most frames that wait for later ones before they are shown. 0: frames are never reordered. Default: 0. */
  reorder?: number
  /** Palette of 8-bit bitmaps (RGBQUAD). The decoder gets 24-bit pixels. `undefined`: no palette. */
  palette?: Uint8Array
}

export interface AudioStream {
  decoder: string
  extradata: Uint8Array
  hertz: number
  channels: number
  bitsPerSample: number
  blockAlign: number
  tag: number
}

/** A decoded picture. The engine keeps its pixels until the next `nextPicture`. */
export interface Picture {
  /** Presentation time of the picture's packet. `undefined`: the stream has none. */
  pts: number | undefined
  width: number
  height: number
  damaged: boolean
  interlaced: boolean
  /** Bits per colour component. */
  depth: number
  /** Code of the transfer characteristics (Rec. ITU-T H.273). */
  transfer: number
  alpha: boolean
}

export interface VideoPacket {
  bytes: Uint8Array
  key: boolean
  pts: number
  /** Luma PSNR against the source picture in dB; 100 if nothing was lost. */
  psnrDb: number
  /** SSIM that x264 computes: 8 × 8 windows without Gaussian weights, every fourth sample in both directions. */
  blockSsim: number
}

/** Similarity of the luma of two pictures, 8 bits. */
export interface FrameSimilarity {
  /** Mean squared error per luma sample. */
  readonly mse: number
  /** SSIM with an 11 × 11 Gaussian window (wasm/measure). NaN if it was not requested. */
  readonly ssim: number
}

/** Planar samples, −1…1, one array per channel. The arrays are copies. */
export interface DecodedSound {
  hertz: number
  channels: Float32Array[]
}

/**
 * Memory limit of an engine in 64 KiB pages: a job has 110 MB, and heap and buffers need up to 19. 1080p with common decoders takes 89 MB
 * (docs/decisions/films.md). `build.sh` allows more.
 */
const MOST_PAGES = 1376
const MEMORIES = new MemoryPool({ initial: 64, maximum: MOST_PAGES }, MOST_PAGES * 65_536)
/** Memory limit of 1 GiB, for pictures that exceed an isolate: 4K took 300 MB. */
const LARGE = new MemoryPool({ initial: 64, maximum: 16_384 }, 16_384 * 65_536)

/** Larger than any single allocation of a decoder or encoder, in bytes. */
const ROOM_BYTES = 16 * 1024 * 1024

export class Ffmpeg implements Disposable {
  readonly #memories: MemoryPool
  readonly #exports: Exports
  #input = 0
  #inputBytes = 0
  #aacChannels = 0
  #aacBlocks = 0
  readonly #coloured: [VideoStream | undefined, VideoStream | undefined] = [undefined, undefined]

  /** @param large true: allow 1 GiB instead of an isolate's memory */
  constructor(large = false) {
    this.#memories = large ? LARGE : MEMORIES
    const memory = this.#memories.take()
    this.#exports = createInstance(wasmModule, refusedWasi(wasmModule, { memory })).exports as unknown as Exports
    this.#exports._initialize?.()
    this.#exports.quiet()
  }

  /** Releases the memory for the next engine. This engine, and views of its memory, must not be used afterwards. */
  [Symbol.dispose](): void {
    this.#memories.release(this.#exports.memory)
  }

  /** Bytes of linear memory, which never shrinks. At most 90 MB, or 1 GiB for a large engine; then allocations fail. */
  get memoryBytes(): number {
    return this.#exports.memory.buffer.byteLength
  }

  /** After an error: true if an allocation may have failed. */
  get isFull(): boolean {
    try {
      const room = this.#exports.reserve(ROOM_BYTES)
      if (room) this.#exports.release(room)
      return room === 0
    } catch {
      return true
    }
  }

  /**
   * Opens one of two video decoders; the second is for a film to compare with.
   * @throws EngineError if the decoder does not exist or rejects the configuration
   */
  openVideo(stream: VideoStream, which: 0 | 1 = 0): void {
    const { width, height, tag, bitsPerSample, reorder = 0 } = stream
    const opened = this.#withText(stream.decoder, (name) =>
      this.#withBytes(stream.extradata, (extra) =>
        this.#exports.video_open(which, name, extra, stream.extradata.length, width, height, tag, bitsPerSample, reorder),
      ),
    )
    this.#coloured[which] = stream.palette && stream
    if (opened < 0) throw new EngineError('ffmpeg', 'damaged', `the ${stream.decoder} decoder refused the stream (${opened})`)
  }

  /** Sends one packet to the decoder. False if the decoder rejects it. */
  sendVideo(bytes: Uint8Array, pts: number, key: boolean, which: 0 | 1 = 0): boolean {
    const bitmap = this.#coloured[which]
    if (!bitmap?.palette) return this.#exports.video_send(which, this.#place(bytes), bytes.length, pts, key ? 1 : 0) >= 0
    const { palette, width, height } = bitmap
    const room = this.#room(expandedBytes(width, height))
    expandPalette(bytes, palette, width, height, room)
    return this.#exports.video_send(which, room.byteOffset, room.length, pts, key ? 1 : 0) >= 0
  }

  /** Signals the end of the packets. `nextPicture` then returns the remaining pictures. */
  endVideo(which: 0 | 1 = 0): void {
    this.#exports.video_send(which, 0, 0, 0, 0)
  }

  /** Call after `endVideo` to decode from another sync sample of the same stream. */
  restartVideo(which: 0 | 1 = 0): void {
    this.#exports.video_flush(which)
  }

  /** Returns the next picture in display order. `undefined`: the decoder needs a packet, or has ended. */
  nextPicture(which: 0 | 1 = 0): Picture | undefined {
    const state = this.#exports.video_receive(which)
    if (state < 0) throw new EngineError('ffmpeg', 'damaged', `the decoder failed (${state})`)
    if (state !== READY) return undefined
    const pts = this.#exports.picture_pts()
    return {
      pts: pts === -1e18 ? undefined : pts,
      width: this.#exports.picture_width(),
      height: this.#exports.picture_height(),
      damaged: this.#exports.picture_damaged() !== 0,
      interlaced: this.#exports.picture_interlaced() !== 0,
      depth: this.#exports.picture_depth(),
      transfer: this.#exports.picture_transfer(),
      alpha: this.#exports.picture_alpha() !== 0,
    }
  }

  /**
   * Compares the current pictures of both decoders.
   * @throws EngineError if their sizes differ
   */
  comparePictures(ssim: boolean): FrameSimilarity {
    if (this.#exports.compare(ssim ? 1 : 0) < 0) throw new EngineError('ffmpeg', 'damaged', 'pictures of different sizes')
    return this.#lastSimilarity()
  }

  /** Compares the picture of the last packet, as decoders will show it, with the source picture. */
  measurePacket(): FrameSimilarity {
    if (this.#exports.measure_packet() < 0) throw new EngineError('ffmpeg', 'memory', 'no memory left to measure a picture')
    return this.#lastSimilarity()
  }

  #lastSimilarity(): FrameSimilarity {
    return { mse: this.#exports.last_mse(), ssim: this.#exports.last_ssim() }
  }

  /** Luma of the current picture, 8 bits, without padding. A copy. */
  luma(): Uint8Array {
    const engine = this.#exports
    const at = engine.picture_luma()
    const stride = engine.luma_stride()
    const [width, height] = [engine.picture_width(), engine.picture_height()]
    if (!at || stride < width) throw new EngineError('ffmpeg', 'memory', 'no memory left for a picture')
    const out = new Uint8Array(width * height)
    for (let row = 0; row < height; row++) out.set(new Uint8Array(engine.memory.buffer, at + row * stride, width), row * width)
    return out
  }

  /**
   * Opens x264 for pictures like the one just decoded.
   * @param options x264's own option names and values, applied in order after `preset`
   * @returns the parameter sets, in the format of the packets: length-prefixed NAL units, or Annex B
   */
  openEncoder(
    preset: string,
    options: readonly (readonly [string, string])[],
    rate: { num: number; den: number },
    timescale: number,
    annexb: boolean,
  ): Uint8Array {
    const engine = this.#exports
    if (this.#withText(preset, (name) => engine.encoder_begin(name)) < 0)
      throw new EngineError('ffmpeg', 'damaged', `x264 has no preset ${preset}`)
    for (const [name, value] of options) {
      const taken = this.#withText(name, (n) => this.#withText(value, (v) => engine.encoder_option(n, v)))
      if (taken < 0) throw new EngineError('ffmpeg', 'damaged', `x264 refused ${name}=${value}`)
    }
    if (engine.encoder_open(rate.num, rate.den, timescale, annexb ? 1 : 0) < 0)
      throw new EngineError('ffmpeg', 'damaged', 'x264 refused the pictures')
    const bytes = engine.encoder_headers()
    return new Uint8Array(engine.memory.buffer, engine.packet_data(), Math.max(0, bytes)).slice()
  }

  /** Encodes the current picture. @returns a packet if one is ready */
  encode(pts: number, key: boolean): VideoPacket | undefined {
    return this.#packet(this.#exports.encode(pts, key ? 1 : 0))
  }

  /** Returns the next packet that x264 delayed. `undefined`: none is left. */
  drainEncoder(): VideoPacket | undefined {
    return this.#packet(this.#exports.encoder_drain())
  }

  /** Opens one of two audio decoders; the second is for sound that the same engine encoded, or to compare with. */
  openAudio(stream: AudioStream, which: 0 | 1 = 0): void {
    const opened = this.#withText(stream.decoder, (name) =>
      this.#withBytes(stream.extradata, (extra) =>
        this.#exports.audio_open(
          which,
          name,
          extra,
          stream.extradata.length,
          stream.hertz,
          stream.channels,
          stream.bitsPerSample,
          stream.blockAlign,
          stream.tag,
        ),
      ),
    )
    if (opened < 0) throw new EngineError('ffmpeg', 'damaged', `the ${stream.decoder} decoder refused the stream (${opened})`)
  }

  sendAudio(bytes: Uint8Array, which: 0 | 1 = 0): boolean {
    return this.#exports.audio_send(which, this.#place(bytes), bytes.length) >= 0
  }

  endAudio(which: 0 | 1 = 0): void {
    this.#exports.audio_send(which, 0, 0)
  }

  nextSound(which: 0 | 1 = 0): DecodedSound | undefined {
    const engine = this.#exports
    const state = engine.audio_receive(which)
    if (state < 0) throw new EngineError('ffmpeg', 'damaged', `the audio decoder failed (${state})`)
    if (state !== READY) return undefined
    const samples = engine.sound_samples()
    const at = engine.sound_planar()
    const channels = Array.from({ length: engine.sound_channels() }, (_, channel) =>
      new Float32Array(engine.memory.buffer, at + channel * samples * 4, samples).slice(),
    )
    return { hertz: engine.sound_hertz(), channels }
  }

  /** Opens the AAC encoder. @returns the AudioSpecificConfig, and the encoder delay in samples */
  openAac(hertz: number, channels: number, bitsPerSecond: number): { config: Uint8Array; delay: number } {
    const engine = this.#exports
    if (engine.aac_open(hertz, channels, bitsPerSecond) < 0) throw new EngineError('ffmpeg', 'damaged', 'the AAC encoder refused the sound')
    this.#aacChannels = channels
    const config = new Uint8Array(engine.memory.buffer, engine.aac_config(), engine.aac_config_bytes()).slice()
    return { config, delay: engine.aac_delay() }
  }

  /** Encodes one block of 1024 samples per channel. Shorter arrays are padded with silence. */
  encodeAac(block: readonly Float32Array[]): Uint8Array | undefined {
    const engine = this.#exports
    for (let channel = 0; channel < this.#aacChannels; channel++) {
      const at = engine.aac_channel(channel)
      if (!at) throw new EngineError('ffmpeg', 'memory', 'the AAC encoder has no memory left')
      const samples = new Float32Array(engine.memory.buffer, at, 1024)
      samples.fill(0)
      samples.set(block[channel]!.subarray(0, 1024))
    }
    return this.#aacPacket(engine.aac_encode(this.#aacBlocks++))
  }

  finishAac(): Uint8Array | undefined {
    return this.#aacPacket(this.#exports.aac_finish())
  }

  #aacPacket(state: number): Uint8Array | undefined {
    if (state < 0) throw new EngineError('ffmpeg', 'damaged', `the AAC encoder failed (${state})`)
    if (state !== READY) return undefined
    return new Uint8Array(this.#exports.memory.buffer, this.#exports.packet_data(), this.#exports.packet_bytes()).slice()
  }

  #packet(state: number): VideoPacket | undefined {
    if (state < 0) throw new EngineError('ffmpeg', 'damaged', `x264 failed (${state})`)
    if (state === NEED_INPUT || state !== READY) return undefined
    const engine = this.#exports
    return {
      bytes: new Uint8Array(engine.memory.buffer, engine.packet_data(), engine.packet_bytes()).slice(),
      key: engine.packet_key() !== 0,
      pts: engine.packet_pts(),
      psnrDb: engine.packet_psnr(),
      blockSsim: engine.packet_ssim(),
    }
  }

  /** Copies bytes to the input buffer, which grows to the largest packet. */
  #place(bytes: Uint8Array): number {
    const room = this.#room(bytes.length)
    room.set(bytes)
    return room.byteOffset
  }

  /** Returns the first `count` bytes of the input buffer, and grows it if needed. */
  #room(count: number): Uint8Array {
    if (count + PADDING_BYTES > this.#inputBytes) {
      if (this.#input) this.#exports.release(this.#input)
      this.#inputBytes = Math.max(1 << 16, Math.ceil(count * 1.25)) + PADDING_BYTES
      this.#input = this.#exports.reserve(this.#inputBytes)
      if (!this.#input) throw new EngineError('ffmpeg', 'memory', 'no memory left for a packet')
    }
    return new Uint8Array(this.#exports.memory.buffer, this.#input, count)
  }

  #withBytes(bytes: Uint8Array, use: (at: number) => number): number {
    const at = this.#exports.reserve(bytes.length + PADDING_BYTES)
    if (!at) throw new EngineError('ffmpeg', 'memory', 'no memory left')
    new Uint8Array(this.#exports.memory.buffer, at, bytes.length).set(bytes)
    const answer = use(at)
    this.#exports.release(at)
    return answer
  }

  #withText(text: string, use: (at: number) => number): number {
    return this.#withBytes(new TextEncoder().encode(`${text}\0`), use)
  }
}

/**
 * WebAssembly PNG engine (`png.h`). A picture is opened once; then several passes run over its rows, from zlib streams (`feed`) or
 * unfiltered (`takeRow`). It uses 12 to 24 MB of memory for 4,000 to 11,500 pixels of width, at any height.
 */

import { EngineError } from '../engine-error.ts'
import { type Engine, instantiate, retire } from '../memories/memories.ts'
import { log10 } from '../same-math.ts'
import module from './png.wasm'

/** Colour type (W3C PNG, 11.2.1): 0 grey, 2 RGB, 3 indexed, 4 grey and alpha, 6 RGB and alpha. */
export type ColourType = 0 | 2 | 3 | 4 | 6

export interface PictureHeader {
  readonly width: number
  readonly height: number
  readonly colourType: ColourType
  /** Bits per sample: 1, 2, 4, 8 or 16. 16-bit samples are big-endian. */
  readonly bitDepth: number
  /** True if rows arrive in Adam7 order. Default: false. */
  readonly interlaced?: boolean
  /** Palette (PLTE): red, green and blue of up to 256 colours. */
  readonly palette?: Uint8Array
  /** Alpha of the first palette colours (tRNS of an indexed picture). */
  readonly paletteAlpha?: Uint8Array
  /** Transparent colour at the picture's own depth (tRNS of a grey or RGB picture). */
  readonly key?: readonly [number, number, number]
}

export const PASS = { digest: 1, rows: 2, analyse: 3, encode: 4, histogram: 5, remap: 6, indices: 7, survey: 8, near: 9 } as const
const ROW_FORM = { native: 0, rgba8: 1, rgb8: 2, gray8: 3, rgba16: 4 } as const

/**
 * Form of decoded rows: unchanged (`native`); 8-bit RGBA, RGB or the red channel (for grey pictures); or 16-bit RGBA, little-endian. All
 * forms but `native` expand palettes and colour keys; RGB and grey drop alpha.
 */
export type RowForm = keyof typeof ROW_FORM

/** Colour statistics: the least form that the picture needs, known after an `analyse` pass. */
export interface ColourFacts {
  readonly opaque: boolean
  readonly gray: boolean
  /** Number of distinct RGBA colours; 257: more than 256. */
  readonly colours: number
  readonly needs16Bits: boolean
}

/** Planned form of the result. */
export interface Layout {
  readonly colourType: ColourType
  readonly bitDepth: number
  readonly palette?: Uint8Array
  readonly paletteAlpha?: Uint8Array
  readonly key?: readonly [number, number, number]
}

/** Effort of an encoding: more effort takes more time and fewer bytes. */
export interface Effort {
  /** libdeflate level 1 to 12 of the result (`level`) and of the trials that choose filters (`trialLevel`). */
  readonly level: number
  readonly trialLevel: number
  /**
   * Filter strategies as a bit set: bits 0 to 4 the filter types, 5 least sum, 6 least entropy, 7 fewest distinct pairs, 8 smallest
   * deflated row.
   */
  readonly strategies: number
  /** Approximate bytes of a band of rows that share a filter strategy. */
  readonly bandBytes: number
  /** Rounds of the optimal parser at levels 10 to 12; 0: the default of the level. */
  readonly passes: number
  /** True if the parser skips positions inside long matches. Drawings then take half the time and 0.5 % more bytes. Default: false. */
  readonly sparse?: boolean
}

/** Quality measured while rows were mapped to a palette. For pictures with alpha, the worse of a black and a white background. */
export interface PictureQuality {
  readonly ssim: number
  /** PSNR of luma in dB; `Infinity` for equal pictures. */
  readonly psnrDb: number
  readonly rgbPsnrDb: number
  /** PSNR of the worst block of 32 × 32 pixels in dB: luma, and RGB. */
  readonly blockPsnrDb: number
  readonly blockRgbPsnrDb: number
  /** SSIMULACRA 2.1 score: 100 if both sides are shorter than 32 pixels, 0 (not measured) above 32768 pixels of width. */
  readonly score: number
  /** SSIMULACRA 2.1 score of the worst tile of 64 × 64 pixels. */
  readonly worstTile: number
  /** Colour cast: distance of the mean colours in CIE Lab a and b, in the worst window of 15 × 15 pixels. */
  readonly cast: number
  /** Banding: how far gradients became steps in the worst window of 15 × 15 pixels, in CIE Lab (`shades.h`). */
  readonly steps: number
  /** Banding with steps that are 5 to 10 pixels apart, measured like `steps`. */
  readonly bands: number
  /** Specks: how far single pixels differ from their surroundings in the worst window of 15 × 15 pixels, in CIE Lab (`shades.h`). */
  readonly specks: number
}

type Shades = 'cast' | 'steps' | 'bands' | 'specks'
type Perceptual = 'score' | 'worstTile' | Shades

/** Quality of a sample that has the `share` of the picture's rows. Figures that were not measured are absent. */
export type TrialQuality = Omit<PictureQuality, Perceptual> & Partial<Pick<PictureQuality, Perceptual>> & { readonly share: number }

/** Failure names, in the order of the negative codes of `common/host.h`. */
const FAILURES = ['memory', 'truncated', 'damaged', 'unsupported', 'limit', 'misuse'] as const

interface Exports extends Engine {
  _initialize(): void
  alloc(bytes: number): number
  crc(crc: number, at: number, count: number): number
  open(width: number, height: number, colourType: number, depth: number, interlace: number): void
  set_palette(at: number, count: number): void
  set_alpha(at: number, count: number): void
  set_key(r: number, g: number, b: number): void
  effort(level: number, trialLevel: number, strategies: number, bandBytes: number, passes: number, sparse: number): void
  begin(pass: number, form: number, mute: number, alpha: number): void
  frame(width: number, height: number): void
  feed(at: number, count: number): void
  take_row(at: number): void
  frame_end(): void
  deliver_later(): void
  deliver(rows: number): number
  plan(palette: number, order: number, allowGray: number): number
  plan_verbatim(): number
  plan_near(allowGray: number): void
  set_steps(levels: number, hues: number): void
  near_off(): number
  digest(): bigint
  encoded(): number
  layout_fact(what: number): number
  fact(what: number): number
  quality(what: number): number
  quantise(colours: number, rounds: number, spread: number): number
  colour_points(): number
  set_tolerance(multiple: number): void
  set_dither(share: number, inTexture: number): void
  weigh_as_at_first(): void
  trial_map(): void
  trial_come_near(): number
  trial_measure(): void
  trial_shades(mostCast: number, mostSteps: number): void
  trial_score(): void
  trial_bytes(mapped: number, gray: number, every: number): number
  trial_fact(what: number): number
}

/** Bytes passed to the engine at a time. Deflate expands at most 1,032 times, which limits the rows that one call produces. */
const FEED_BYTES = 16 * 1024

/** Size in bytes up to which Adam7 pictures are gathered in memory and delivered in row order. Larger ones are delivered pass by pass. */
export const GATHER_BYTES = 48 * 1024 * 1024

/** Most palettes that `minimiseCasts` tries. */
const CAST_ROUNDS = 6
/** Remaining share of the cast above which `minimiseCasts` stops, because a further round would gain too little. */
const STALLED_CAST_RATIO = 0.97

/** Samples of a pixel by colour type. */
export const CHANNELS: Record<ColourType, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

/** Size in bytes of one row without its filter byte. */
export function rowBytesOf(header: Pick<PictureHeader, 'colourType' | 'bitDepth'>, width: number): number {
  return Math.ceil((width * CHANNELS[header.colourType] * header.bitDepth) / 8)
}

export class PngEngine {
  readonly header: PictureHeader
  /** True if rows arrive from top to bottom; false only for very large Adam7 pictures. */
  readonly inOrder: boolean
  onRow: ((row: Uint8Array, y: number) => void) | undefined
  #wasm: Exports
  readonly #buffer: number
  readonly #rowBuffer: number
  #out: Uint8Array[] = []
  #castsMinimised = false

  /** Opens a picture. `header` must be valid (`parseHeader` in `chunks.ts` checks files). @throws EngineError */
  constructor(header: PictureHeader) {
    this.#wasm = instantiate<Exports>(module, {
      env: {
        write: (at: number, count: number) => void this.#out.push(this.#bytes(at, count).slice()),
        row: (at: number, count: number, y: number) => this.onRow?.(this.#bytes(at, count), y),
        fail: (code: number, at: number) => {
          const text = this.#bytes(at, 200)
          throw new EngineError('png', FAILURES[-code - 1] ?? 'misuse', new TextDecoder().decode(text.subarray(0, text.indexOf(0))))
        },
      },
      // wasi-libc links these imports, but the engine never calls them.
      wasi_snapshot_preview1: new Proxy({}, { get: () => () => 52 }),
    })
    this.#wasm._initialize()
    this.header = header
    const rowBytes = rowBytesOf(header, header.width)
    const gather = header.interlaced === true && (rowBytes + 1) * header.height <= GATHER_BYTES
    this.inOrder = gather || header.interlaced !== true
    this.#wasm.open(header.width, header.height, header.colourType, header.bitDepth, header.interlaced ? (gather ? 2 : 1) : 0)
    this.#buffer = this.#wasm.alloc(FEED_BYTES)
    this.#rowBuffer = this.#wasm.alloc(rowBytes + 16)
    if (header.palette) this.#wasm.set_palette(this.#put(header.palette), Math.floor(header.palette.length / 3))
    if (header.paletteAlpha) this.#wasm.set_alpha(this.#put(header.paletteAlpha), header.paletteAlpha.length)
    if (header.key) this.#wasm.set_key(...header.key)
  }

  #bytes(at: number, count: number): Uint8Array {
    const { buffer } = this.#wasm.memory
    return new Uint8Array(buffer, at, Math.min(count, buffer.byteLength - at))
  }

  #put(bytes: Uint8Array, at = this.#buffer): number {
    this.#bytes(at, bytes.length).set(bytes)
    return at
  }

  /** Peak of the engine's WebAssembly memory so far, in bytes. */
  get memoryBytes(): number {
    return this.#wasm.heap_top()
  }

  /** Returns the engine's memory to the pool. */
  [Symbol.dispose](): void {
    this.#wasm = retire(this.#wasm)
  }

  // ---- Passes: call begin; then frame, feed or takeRow, and frameEnd for each frame. ----

  begin(pass: keyof typeof PASS, how: { form?: RowForm; mute?: boolean; alpha?: boolean } = {}): void {
    this.#out = []
    if (pass === 'histogram' || pass === 'survey') this.#castsMinimised = false
    this.#wasm.begin(PASS[pass], ROW_FORM[how.form ?? 'native'], how.mute ? 1 : 0, how.alpha ? 1 : 0)
  }

  frame(width = this.header.width, height = this.header.height): void {
    this.#wasm.frame(width, height)
  }

  /** Adds bytes of the frame's zlib stream. */
  feed(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += FEED_BYTES) {
      const part = bytes.subarray(at, at + FEED_BYTES)
      this.#wasm.feed(this.#put(part), part.length)
    }
  }

  /** Adds one unfiltered row in the header's form. */
  takeRow(row: Uint8Array): void {
    this.#put(row, this.#rowBuffer)
    this.#wasm.take_row(this.#rowBuffer)
  }

  /** Delivers the rows of a gathered Adam7 picture on request (`deliver`), not all at once with its last bytes. */
  deliverLater(): void {
    this.#wasm.deliver_later()
  }

  /** Delivers up to `rows` rows of a gathered Adam7 picture, after `frameEnd`. Returns the number of rows left; 0 for other pictures. */
  deliver(rows: number): number {
    return this.#wasm.deliver(rows)
  }

  frameEnd(): void {
    this.#wasm.frame_end()
  }

  /** Returns the compressed bytes since the last call: pieces of up to 1 MB of the frame's zlib stream. */
  drain(): Uint8Array[] {
    const out = this.#out
    this.#out = []
    return out
  }

  // ---- Facts about the picture, and plans of its form ----

  /** CRC-32 (W3C PNG, annex D) of several pieces in sequence. */
  crc(...pieces: Uint8Array[]): number {
    let crc = 0
    for (const piece of pieces)
      for (let at = 0; at < piece.length; at += FEED_BYTES) {
        const part = piece.subarray(at, at + FEED_BYTES)
        crc = this.#wasm.crc(crc, this.#put(part), part.length)
      }
    return crc >>> 0
  }

  facts(): ColourFacts {
    const fact = this.#wasm.fact
    return { opaque: fact(0) === 1, gray: fact(1) === 1, colours: fact(2), needs16Bits: fact(3) === 1 }
  }

  /** Digest of all samples and their positions after a `digest` pass. Equal pictures have equal digests, independent of their form. */
  digest(): bigint {
    return BigInt.asUintN(64, this.#wasm.digest())
  }

  /** Plans the same channels or fewer. Grey replaces colour only if `allowGray`. Returns the bits per pixel. */
  planDirect(allowGray = true): number {
    return this.#wasm.plan(0, 0, allowGray ? 1 : 0)
  }

  /**
   * Plans a palette of the exact colours. `order`: 0 luma, 1 use, 2 first appearance, 3 neighbourhood. `wide`: one byte for each index.
   * Returns the bits per pixel; 0: not possible.
   */
  planPalette(order: 0 | 1 | 2 | 3, wide = false): number {
    return this.#wasm.plan(wide ? 2 : 1, order, 1)
  }

  /** Plans rows in the form of the source. Returns the bits per pixel. */
  planUnchanged(): number {
    return this.#wasm.plan_verbatim()
  }

  /**
   * Plans near-lossless rows with 8 bits a sample, for a `near` pass. @param step rounding step of luma, in levels of 0 to 255
   * (`near_lossless.h`) @param hueSteps rounding step of hues, in multiples of `step`
   */
  planNear(step: number, hueSteps: 1 | 2, allowGray = true): void {
    this.#wasm.plan_near(allowGray ? 1 : 0)
    this.#wasm.set_steps(step, hueSteps)
  }

  /** Largest error of a sample in a `near` pass, in levels of 0 to 255. */
  largestSampleError(): number {
    return this.#wasm.near_off()
  }

  setEffort(effort: Effort): void {
    this.#wasm.effort(effort.level, effort.trialLevel, effort.strategies, effort.bandBytes, effort.passes, effort.sparse ? 1 : 0)
  }

  layout(): Layout {
    const fact = this.#wasm.layout_fact
    const base = { colourType: fact(0) as ColourType, bitDepth: fact(1) }
    const key = fact(3) ? { key: [fact(4), fact(5), fact(6)] as const } : {}
    const count = fact(2)
    if (count === 0) return { ...base, ...key }
    const palette = new Uint8Array(count * 3)
    const alpha = new Uint8Array(count)
    let translucent = 0
    for (let i = 0; i < count; i++) {
      const colour = fact(16 + i)
      palette.set([colour & 255, (colour >> 8) & 255, (colour >> 16) & 255], i * 3)
      alpha[i] = colour >>> 24
      if (alpha[i] !== 255) translucent = i + 1
    }
    return { ...base, palette, ...(translucent ? { paletteAlpha: alpha.slice(0, translucent) } : {}) }
  }

  /** Size in bytes of the zlib streams of an `encode`, `remap` or `near` pass. */
  encodedBytes(): number {
    return this.#wasm.encoded()
  }

  // ---- Quantiser: requires a `histogram` pass ----

  /** Number of distinct colours in the histogram, at most 16384. */
  histogramColours(): number {
    return this.#wasm.colour_points()
  }

  /**
   * Chooses at most `colours` palette colours and sets them as the layout. `spread`, 0 to 1: how far outer entries move outwards for error
   * diffusion; at 1 the picture's outermost colours are among them. Returns the expected mean squared error.
   */
  quantise(colours: number, rounds = 12, spread = 0): number {
    return this.#wasm.quantise(colours, rounds, spread)
  }

  /**
   * Sets the tolerance: a pixel in texture may differ by this multiple of the expected error to repeat its neighbour's index. More means
   * smaller files and more noise.
   */
  setTolerance(multiple: number): void {
    this.#wasm.set_tolerance(multiple)
  }

  /** Sets the share of a pixel's error that is diffused to its neighbours; 0: none. `inTexture`: factor of that share in texture. */
  setDither(share: number, inTexture = 1): void {
    this.#wasm.set_dither(share, inTexture)
  }

  /**
   * Maps a sample of the picture (all of it up to about 390,000 pixels) and measures luma, RGB and a quarter of the SSIM windows. Costlier
   * figures follow while `goesOn` returns true.
   */
  trial(goesOn: (found: TrialQuality) => boolean = () => true): TrialQuality {
    this.#wasm.trial_map()
    return this.#measureTrial(goesOn)
  }

  /** Encodes near-lossless rows of the sample (`planNear`) and measures them like `trial`. Also returns their deflated bytes. */
  trialNear(goesOn: (found: TrialQuality) => boolean): TrialQuality & { readonly bytes: number } {
    const bytes = this.#wasm.trial_come_near()
    return { ...this.#measureTrial(goesOn), bytes }
  }

  #measureTrial(goesOn: (found: TrialQuality) => boolean): TrialQuality {
    const { trial_measure, trial_shades, trial_score, trial_fact } = this.#wasm
    trial_measure()
    const luma = lumaOf(trial_fact)
    const share = this.sampleShare()
    if (!goesOn({ ...luma, share })) return { ...luma, share }
    trial_shades(0, 0)
    const shades = shadesOf(trial_fact)
    if (!goesOn({ ...luma, ...shades, share })) return { ...luma, ...shades, share }
    trial_score()
    return { ...luma, ...shades, score: trial_fact(6), worstTile: trial_fact(11), share }
  }

  /**
   * Gives more weight to colours of the sample where 256 colours leave casts or steps above `most`, first without and then with error
   * diffusion. Later palettes use the weights. Runs once for each histogram. @param pause awaited after each palette, which takes some
   * tenths of a second for a large sample
   */
  async minimiseCasts(
    most: Pick<PictureQuality, 'cast' | 'steps'>,
    dither: readonly [share: number, inTexture: number],
    pause: () => Promise<void>,
  ): Promise<void> {
    if (this.#castsMinimised) return
    this.#castsMinimised = true
    const { quantise, set_tolerance, set_dither, trial_map, trial_shades, trial_fact, weigh_as_at_first } = this.#wasm
    set_tolerance(0)
    for (const [share, inTexture] of [[0, 0], dither] as const) {
      set_dither(share, inTexture)
      let [first, last] = [0, 0]
      for (let round = 0; round < CAST_ROUNDS; round++) {
        await pause()
        quantise(256, 8, share > 0 ? 1 : 0)
        trial_map()
        trial_shades(most.cast, most.steps)
        const before = last
        last = Math.max(trial_fact(7) / most.cast, trial_fact(8) / most.steps)
        if (round === 0) first = last
        if (last <= 1) return
        if (round > 1 && last > before * STALLED_CAST_RATIO) break
      }
      if (last > first * 0.9) weigh_as_at_first()
    }
  }

  /** Share of the picture's rows that are in the sample. */
  sampleShare(): number {
    return this.#wasm.trial_fact(5)
  }

  /** Deflated bytes of the sample, as palette indices, as RGB or RGBA, or as grey with alpha. Extrapolated from one part in `every`. */
  trialBytes(form: 'palette' | 'colour' | 'gray', every = 1): number {
    return this.#wasm.trial_bytes(form === 'palette' ? 1 : 0, form === 'gray' ? 1 : 0, every)
  }

  /** Quality of the last `remap`, `indices` or `near` pass. */
  quality(): PictureQuality {
    return qualityOf(this.#wasm.quality)
  }
}

const decibels = (mse: number) => (mse > 0 ? 10 * log10((255 * 255) / mse) : Number.POSITIVE_INFINITY)

function qualityOf(fact: (what: number) => number): PictureQuality {
  return { ...lumaOf(fact), score: fact(6), worstTile: fact(11), ...shadesOf(fact) }
}

function lumaOf(fact: (what: number) => number): Omit<PictureQuality, Perceptual> {
  return {
    ssim: fact(0),
    psnrDb: decibels(fact(1)),
    rgbPsnrDb: decibels(fact(2)),
    blockPsnrDb: decibels(fact(3)),
    blockRgbPsnrDb: decibels(fact(4)),
  }
}

function shadesOf(fact: (what: number) => number): Pick<PictureQuality, Shades> {
  return { cast: fact(7), steps: fact(8), bands: fact(9), specks: fact(10) }
}

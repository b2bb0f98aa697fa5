/**
 * One instance of the PNG engine (`png.h`): a picture is opened once, then passes run over its rows. Rows come from zlib
 * streams (`feed`) or plain (`takeRow`). 12–24 MB of Wasm memory (4,000 to 11,500 pixels wide) at any height.
 */
import { EngineError } from '../engine-error.ts'
import { type Engine, instantiate, retire } from '../memories/memories.ts'
import module from './png.wasm'

/** W3C PNG, 11.2.1: 0 grey, 2 RGB, 3 indexed, 4 grey + alpha, 6 RGB + alpha. */
export type ColourType = 0 | 2 | 3 | 4 | 6

export interface PictureHeader {
  readonly width: number
  readonly height: number
  readonly colourType: ColourType
  /** Bits per sample: 1, 2, 4, 8, 16. Samples of 16 bits are big-endian. */
  readonly bitDepth: number
  /** Rows arrive in Adam7 order. */
  readonly interlaced?: boolean
  /** PLTE: red, green, blue of up to 256 colours. */
  readonly palette?: Uint8Array
  /** tRNS of an indexed picture: alpha of the first colours. */
  readonly paletteAlpha?: Uint8Array
  /** tRNS of a grey or RGB picture: the transparent colour, at the picture's own depth. */
  readonly key?: readonly [number, number, number]
}

export const PASS = { digest: 1, rows: 2, analyse: 3, encode: 4, histogram: 5, remap: 6, indices: 7, survey: 8, near: 9 } as const
export const ROW_FORM = { native: 0, rgba8: 1, rgb8: 2, gray8: 3, rgba16: 4 } as const

/**
 * How rows are handed out: as they are in the file; 8 bits RGBA, RGB or the red channel (for grey pictures); or RGBA with 16
 * bits a sample, little-endian. Palettes and colour keys are expanded in all but `native`; RGB and grey drop alpha.
 */
export type RowForm = keyof typeof ROW_FORM

/** What the picture needs at least, known after an `analyse` pass. */
export interface Facts {
  readonly opaque: boolean
  readonly gray: boolean
  /** Distinct RGBA colours; 257 stands for more than 256. */
  readonly colours: number
  readonly needs16Bits: boolean
}

/** The planned form of the result. */
export interface Layout {
  readonly colourType: ColourType
  readonly bitDepth: number
  readonly palette?: Uint8Array
  readonly paletteAlpha?: Uint8Array
  readonly key?: readonly [number, number, number]
}

/** How hard an encode tries. */
export interface Effort {
  /** libdeflate level 1–12 of the result, and of the trials that choose filters. */
  readonly level: number
  readonly trialLevel: number
  /** Filter strategies, as bits: 0–4 the filters; 5 least sum, 6 least entropy, 7 fewest pairs, 8 smallest deflate per row. */
  readonly strategies: number
  /** Rows are filtered together in bands of about so many bytes. */
  readonly bandBytes: number
  /** Rounds of the optimal parser at levels 10–12; 0 for the level's own. */
  readonly passes: number
  /** The parser looks away inside long matches: half the time on drawings, half a per cent more bytes. */
  readonly sparse?: boolean
}

/** Measured while rows were mapped to a palette; the worse of a black and a white background where alpha exists. */
export interface PictureQuality {
  readonly ssim: number
  /** Luma. `Infinity` when equal. */
  readonly psnrDb: number
  readonly rgbPsnrDb: number
  /** The same two figures of the worst block of 32 × 32 pixels. */
  readonly blockPsnrDb: number
  readonly blockRgbPsnrDb: number
  /** SSIMULACRA 2.1; 100 for pictures below 32 pixels each way, 0 (not measured) above 32768 pixels of width. */
  readonly score: number
  /** The same of the worst tile of 64 × 64 pixels. */
  readonly worstTile: number
  /** Distance in CIE Lab a and b of the mean colour, in the worst window of 15 × 15 pixels. */
  readonly cast: number
  /** How far gradients have become steps in the worst such window, in CIE Lab (`shades.h`). */
  readonly steps: number
  /** The same of steps that are 5 to 10 pixels apart. */
  readonly bands: number
  /** How far single pixels stand out in the worst such window, in CIE Lab (`shades.h`). */
  readonly specks: number
}

type Shades = 'cast' | 'steps' | 'bands' | 'specks'
type Seen = 'score' | 'worstTile' | Shades

/** Of a sample, the `share` of the picture's rows; what was not measured is not there. */
export type TrialFound = Omit<PictureQuality, Seen> & Partial<Pick<PictureQuality, Seen>> & { readonly share: number }

export type PngFailure = (typeof FAILURES)[number]
/** By the negative codes of `common/host.h`. */
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

/** Bytes that are given to the engine at a time. Deflate expands at most 1032-fold, so this bounds what one call hands out. */
const FEED_BYTES = 16 * 1024

/** Adam7 pictures up to so many bytes are gathered in memory and come out in order; larger ones pass by pass. */
export const GATHER_BYTES = 48 * 1024 * 1024

/** Palettes tried in `minimiseCasts`. */
const CAST_ROUNDS = 6
/** Rounds that leave so much of what there was are the last. */
const CASTS_STAY = 0.97

/** Samples of a pixel. */
export const CHANNELS: Record<ColourType, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

/** Bytes of one row without its filter byte. */
export function rowBytesOf(header: Pick<PictureHeader, 'colourType' | 'bitDepth'>, width: number): number {
  return Math.ceil((width * CHANNELS[header.colourType] * header.bitDepth) / 8)
}

export class PngEngine {
  readonly header: PictureHeader
  /** Rows come in order, top to bottom (false only for very large Adam7 pictures). */
  readonly inOrder: boolean
  onRow: ((row: Uint8Array, y: number) => void) | undefined
  #wasm: Exports
  readonly #buffer: number
  readonly #rowBuffer: number
  #out: Uint8Array[] = []
  #castsMinimised = false

  /** Throws `EngineError`. `header` must be valid (`parseHeader` in `chunks.ts` checks files). */
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
      // wasi-libc links these, nothing calls them.
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

  /** The most Wasm memory that was in use so far, in bytes. */
  get memoryBytes(): number {
    return this.#wasm.heap_top()
  }

  /** Its memory is the next engine's. */
  [Symbol.dispose](): void {
    this.#wasm = retire(this.#wasm)
  }

  // ---- passes: begin, then per frame frame / feed or takeRow / frameEnd ----

  begin(pass: keyof typeof PASS, how: { form?: RowForm; mute?: boolean; alpha?: boolean } = {}): void {
    this.#out = []
    if (pass === 'histogram' || pass === 'survey') this.#castsMinimised = false
    this.#wasm.begin(PASS[pass], ROW_FORM[how.form ?? 'native'], how.mute ? 1 : 0, how.alpha ? 1 : 0)
  }

  frame(width = this.header.width, height = this.header.height): void {
    this.#wasm.frame(width, height)
  }

  /** Bytes of the frame's zlib stream. */
  feed(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += FEED_BYTES) {
      const part = bytes.subarray(at, at + FEED_BYTES)
      this.#wasm.feed(this.#put(part), part.length)
    }
  }

  /** One plain row in the header's form. */
  takeRow(row: Uint8Array): void {
    this.#put(row, this.#rowBuffer)
    this.#wasm.take_row(this.#rowBuffer)
  }

  /** Rows of an Adam7 picture that is put in order come when they are asked for (`deliver`), not all at once with its last bytes. */
  deliverLater(): void {
    this.#wasm.deliver_later()
  }

  /** Up to so many of them, after `frameEnd`; how many are left. 0 for any other picture. */
  deliver(rows: number): number {
    return this.#wasm.deliver(rows)
  }

  frameEnd(): void {
    this.#wasm.frame_end()
  }

  /** Compressed bytes since the last call (the zlib stream of the frame, in pieces of up to 1 MB). */
  drain(): Uint8Array[] {
    const out = this.#out
    this.#out = []
    return out
  }

  // ---- questions and plans ----

  /** CRC-32 (W3C PNG, annex D) over several pieces. */
  crc(...pieces: Uint8Array[]): number {
    let crc = 0
    for (const piece of pieces)
      for (let at = 0; at < piece.length; at += FEED_BYTES) {
        const part = piece.subarray(at, at + FEED_BYTES)
        crc = this.#wasm.crc(crc, this.#put(part), part.length)
      }
    return crc >>> 0
  }

  facts(): Facts {
    const fact = this.#wasm.fact
    return { opaque: fact(0) === 1, gray: fact(1) === 1, colours: fact(2), needs16Bits: fact(3) === 1 }
  }

  /** Sum over all samples and their places after a `digest` pass: equal pictures have equal digests whatever their form. */
  digest(): bigint {
    return BigInt.asUintN(64, this.#wasm.digest())
  }

  /** Samples as they are, or fewer. Colour becomes grey only where `allowGray`. Bits per pixel. */
  planDirect(allowGray = true): number {
    return this.#wasm.plan(0, 0, allowGray ? 1 : 0)
  }

  /**
   * A palette of the exact colours, ordered by luma, use, first appearance or neighbourhood; `wide`: a byte for each index, however few
   * there are. 0 where it is not possible.
   */
  planPalette(order: 0 | 1 | 2 | 3, wide = false): number {
    return this.#wasm.plan(wide ? 2 : 1, order, 1)
  }

  /** Rows exactly as they come. */
  planVerbatim(): number {
    return this.#wasm.plan_verbatim()
  }

  /**
   * Rows near to the source's, with eight bits a sample. For a `near` pass.
   * @param step how coarse luma is, in levels of 255 (`near_lossless.h`)
   * @param hueSteps how many of those are one of hues
   */
  planNear(step: number, hueSteps: 1 | 2, allowGray = true): void {
    this.#wasm.plan_near(allowGray ? 1 : 0)
    this.#wasm.set_steps(step, hueSteps)
  }

  /** How far any sample was off in a `near` pass, of 255. */
  samplesOff(): number {
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

  /** Bytes of the zlib streams of an `encode`, `remap` or `near` pass. */
  encodedBytes(): number {
    return this.#wasm.encoded()
  }

  // ---- the quantiser: after a `histogram` pass ----

  /** Distinct colours the histogram tells apart (16384 at most). */
  histogramColours(): number {
    return this.#wasm.colour_points()
  }

  /**
   * Chooses at most `colours` colours and makes them the layout; `spread`: such as error diffusion can mix the others of, up to
   * 1 where the outermost of the picture's colours are among them. The mean squared error they promise.
   */
  quantise(colours: number, rounds = 12, spread = 0): number {
    return this.#wasm.quantise(colours, rounds, spread)
  }

  /** Multiples of that error a pixel in texture may stray to repeat its neighbour's index: smaller files, more noise. */
  setTolerance(multiple: number): void {
    this.#wasm.set_tolerance(multiple)
  }

  /** The share of a pixel's error that its neighbours make up for (error diffusion), 0 for none; `inTexture`: how much of that there. */
  setDither(share: number, inTexture = 1): void {
    this.#wasm.set_dither(share, inTexture)
  }

  /**
   * Maps a sample of the picture (all of it up to some 390,000 pixels), and measures luma and RGB, SSIM from a quarter of the
   * windows; then what costs more, as long as `goesOn` says so of what was found.
   */
  trial(goesOn: (found: TrialFound) => boolean = () => true): TrialFound {
    this.#wasm.trial_map()
    return this.#measureTrial(goesOn)
  }

  /** The same for rows near to the sample's (`planNear`), and the bytes they deflate to. */
  trialNear(goesOn: (found: TrialFound) => boolean): TrialFound & { readonly bytes: number } {
    const bytes = this.#wasm.trial_come_near()
    return { ...this.#measureTrial(goesOn), bytes }
  }

  #measureTrial(goesOn: (found: TrialFound) => boolean): TrialFound {
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
   * Palettes from now on come closer to the colours of those parts of the sample where 256 colours leave casts or steps above these,
   * first as they are, then mixed by error diffusion. Once for a histogram.
   * @param pause behind each palette, which takes a large sample some tenths of a second
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
        if (round > 1 && last > before * CASTS_STAY) break
      }
      if (last > first * 0.9) weigh_as_at_first()
    }
  }

  /** Share of the picture's rows that are in the sample. */
  sampleShare(): number {
    return this.#wasm.trial_fact(5)
  }

  /**
   * Deflated bytes of the sample, mapped to the palette, or plain: as RGB or RGBA, or as grey with alpha. Claimed from one part in
   * `every`.
   */
  trialBytes(form: 'palette' | 'colour' | 'gray', every = 1): number {
    return this.#wasm.trial_bytes(form === 'palette' ? 1 : 0, form === 'gray' ? 1 : 0, every)
  }

  /** Of the last `remap`, `indices` or `near` pass. */
  quality(): PictureQuality {
    return qualityOf(this.#wasm.quality)
  }
}

const decibels = (mse: number) => (mse > 0 ? 10 * Math.log10((255 * 255) / mse) : Number.POSITIVE_INFINITY)

function qualityOf(fact: (what: number) => number): PictureQuality {
  return { ...lumaOf(fact), score: fact(6), worstTile: fact(11), ...shadesOf(fact) }
}

function lumaOf(fact: (what: number) => number): Omit<PictureQuality, Seen> {
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

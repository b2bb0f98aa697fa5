import { EngineError } from '../engine-error.ts'
import { COLOUR_CODE, Engine, type JpegInput, type Place } from './engine.ts'

/** What was measured between the coefficients that came in and those that go out. */
export interface Measured {
  /** Mean SSIM of luma, 11×11 gaussian; NaN when only errors are measured. The worst plane for RGB and CMYK. */
  readonly ssim: number
  /** Luma PSNR in dB; 99 when nothing changed. */
  readonly psnrDb: number
  /** The same for RGB, estimated from the errors of all components (their correlation is ignored). */
  readonly colourPsnrDb: number
  /** Estimated bytes of the result's scan, sequential coding by an ideal coder: Huffman codes take 1 % more at least. */
  readonly estimatedBytes: number
}

export type JpegColour = 'unknown' | 'gray' | 'rgb' | 'ycbcr' | 'cmyk' | 'ycck'

export interface JpegInfo {
  readonly width: number
  readonly height: number
  readonly components: number
  readonly colour: JpegColour
  /** Sampling of each component, `2x2,1x1,1x1` is 4:2:0. */
  readonly sampling: string
}

/**
 * What happens to block rows as they come in. `store` keeps them (about two bytes per non-zero coefficient: 1.5–2 times
 * the bytes of a file; for pixel rows 0.5–2 bytes per pixel); `sample` keeps one of `every` pairs of MCU rows, enough for
 * `estimate`; `stream` requantises at once and keeps only the result, with finer steps for the planes that a sample found
 * smooth (`smoothPlanes`); `hash` keeps nothing but `digest()`.
 * Progressive files are always stored; `stream` then requantises them afterwards.
 */
export type Intake =
  | { readonly kind: 'store' }
  | { readonly kind: 'sample'; readonly every: number }
  | {
      readonly kind: 'stream'
      readonly quality: number
      readonly trellis?: boolean
      readonly smoothPlanes?: number
      /** As `stayWithin` says. */
      readonly within?: boolean
      /** What the engine and the file that is written of its result may take together (default: no limit). */
      readonly mostBytes?: number
    }
  | { readonly kind: 'hash' }

/** Pixel rows that become a JPEG. */
export interface RowsIn {
  readonly width: number
  readonly height: number
  /** Channels of the rows: 1, 3, 4 (the fourth is ignored), 3, 4. CMYK is stored as it comes (Adobe's readers expect it inverted). */
  readonly pixels: 'gray' | 'rgb' | 'rgbx' | 'ycbcr' | 'cmyk'
  /** Half the chroma in each direction (default true). No meaning for grey and CMYK. */
  readonly subsampled?: boolean
  /** CMYK rows are coded as YCCK, which is smaller and needs an Adobe segment to be understood (default false). */
  readonly ycck?: boolean
}

/** `progressive`: bands and bits as they suit the picture; the smaller one but for tiny files. */
export type Scans = 'sequential' | 'progressive'

/** Which coefficients: those that came in, or the requantised ones. */
export type Which = 'read' | 'made'

/** What the engine finds out by itself. */
const UNKNOWN = -1
const ALL_ROWS = 0xffffffff
/** Pixels between two breaths of a long requantisation: about 0.1 s. */
const STEP_PIXELS = 2e6

/** Bytes of a file per byte of packed coefficients, at most: 0.5–0.55 in what was looked at. */
const WRITTEN_PER_PACKED = 0.6

const INTAKE = { store: 0, sample: 1, stream: 2, hash: 3 } as const
const SCANS = { sequential: 0, progressive: 1 } as const
const COLOURS: readonly JpegColour[] = ['unknown', 'gray', 'rgb', 'ycbcr', 'cmyk', 'ycck']
const CHANNELS = { gray: 1, rgb: 3, rgbx: 4, ycbcr: 3, cmyk: 4 } as const

const decibel = (meanSquaredError: number) => (meanSquaredError > 0 ? Math.min(99, 10 * Math.log10(65025 / meanSquaredError)) : 99)

/** A picture as DCT coefficients: read once, requantised as often as wanted, written. One Wasm instance each, until disposed of. */
export class JpegJob {
  private readonly engine = new Engine()
  private readonly intake: Intake
  private last: Measured | undefined

  private constructor(intake: Intake, chromaQuality: number) {
    const { exports } = this.engine
    this.intake = intake
    exports.intake_mode(INTAKE[intake.kind], intake.kind === 'sample' ? intake.every : 1)
    if (intake.kind === 'stream') {
      exports.stream_quality(intake.quality, intake.trellis === false ? 0 : 1)
      exports.assume_smooth(intake.smoothPlanes ?? UNKNOWN)
      exports.stay_within(intake.within ? 1 : 0)
    }
    exports.chroma_quality(chromaQuality)
  }

  /** Reads a JPEG file. What follows its end marker is not looked at. Throws `EngineError`. */
  static async read(input: JpegInput, intake: Intake = { kind: 'store' }, chromaQuality = 0): Promise<JpegJob> {
    const job = new JpegJob(intake, chromaQuality)
    try {
      job.engine.exports.read_begin()
      await job.engine.take(input, () => job.keepWithin(intake))
      if (intake.kind === 'stream')
        job.last = job.streamed ? job.measured() : await job.requantise(intake.quality, undefined, intake.trellis)
      return job
    } catch (error) {
      job[Symbol.dispose]()
      throw error
    }
  }

  /** Takes pixel rows: `write` whole rows, as many at a time as you like, then `end`. */
  static fromRows(rows: RowsIn, intake: Intake = { kind: 'store' }, chromaQuality = 0): { write(rows: Uint8Array): void; end(): JpegJob } {
    const job = new JpegJob(intake, chromaQuality)
    const { engine } = job
    const channels = CHANNELS[rows.pixels]
    const stride = rows.width * channels
    const stored = rows.pixels === 'gray' ? 'gray' : rows.pixels === 'cmyk' ? (rows.ycck ? 'ycck' : 'cmyk') : 'ycbcr'
    const subsampled = rows.subsampled === false ? 0 : 1
    engine.exports.rows_in_begin(rows.width, rows.height, channels, COLOUR_CODE[rows.pixels], COLOUR_CODE[stored], subsampled)
    return {
      write(bytes) {
        if (bytes.length % stride) throw new EngineError('jpeg', 'misuse', `${bytes.length} bytes are not whole rows of ${stride}`)
        engine.lend(bytes, (pointer) => engine.exports.rows_in_write(pointer, bytes.length / stride))
        try {
          job.keepWithin(intake)
        } catch (error) {
          job[Symbol.dispose]()
          throw error
        }
      },
      end() {
        engine.exports.rows_in_end()
        if (intake.kind === 'stream') job.last = job.measured()
        return job
      },
    }
  }

  get info(): JpegInfo {
    const { info } = this.engine.exports
    const components = info(2, 0)
    const sampling = Array.from({ length: components }, (_, plane) => `${info(4, plane)}x${info(5, plane)}`).join()
    return { width: info(0, 0), height: info(1, 0), components, colour: COLOURS[info(3, 0)] ?? 'unknown', sampling }
  }

  /** Peak of the Wasm memory so far, in bytes. */
  get memoryBytes(): number {
    return this.engine.memoryBytes
  }

  /** Bytes of packed coefficients held now. */
  get packedBytes(): number {
    return this.engine.exports.info(6, 0)
  }

  /** What it takes and what will be written of it, so far. */
  get neededBytes(): number {
    return this.memoryBytes + this.packedBytes * WRITTEN_PER_PACKED
  }

  /** @throws EngineError (memory) as soon as what came so far takes more than it may */
  private keepWithin(intake: Intake): void {
    if (intake.kind !== 'stream' || intake.mostBytes === undefined) return
    if (this.neededBytes > intake.mostBytes) throw new EngineError('jpeg', 'memory', 'the result does not fit into the memory budget')
  }

  /** Whether rows were requantised on the way in (`stream`, and the file was not progressive). */
  get streamed(): boolean {
    return this.intake.kind === 'stream' && this.engine.exports.info(8, 0) === 1
  }

  /** It is not needed any more: its memory goes to the next one. */
  [Symbol.dispose](): void {
    this.engine.close()
  }

  /** What the last requantisation measured; of all rows for `requantise` and `stream`, of a sample for `estimate`. */
  get figures(): Measured {
    if (!this.last) throw new EngineError('jpeg', 'misuse', 'nothing was requantised yet')
    return this.last
  }

  /**
   * From now on only errors are measured, which takes a third less time: `ssim` is NaN.
   */
  measureErrorsOnly(): void {
    this.engine.exports.measure_errors_only(1)
  }

  /**
   * From now on samples are not meant to pass white and black, which makes room for errors beside them: for what lies below a
   * mask, of which the figures count what is hidden, too.
   */
  stayWithin(): void {
    this.engine.exports.stay_within(1)
  }

  /**
   * Planes (bit 0 is the first) with skies, backdrops, paper: steps of quantisation show there as bands and blocks, so
   * their tables are finer where it matters.
   */
  get smoothPlanes(): number {
    return this.engine.exports.smooth_planes()
  }

  /** Whether smooth planes get finer steps (they do unless told otherwise): where a size cannot be reached with them. */
  refineSmooth(wanted: boolean): void {
    this.engine.exports.assume_smooth(wanted ? UNKNOWN : 0)
  }

  /** For whoever looks for better ones: 64 steps of quality 50 for luma, 64 for chroma, and how much more errors weigh than in mozjpeg. */
  tryTables(steps: Uint32Array, weight: number): void {
    const { engine } = this
    engine.lend(new Uint8Array(steps.buffer, steps.byteOffset, steps.byteLength), (pointer) => engine.exports.try_tables(pointer, weight))
  }

  /** Looks at one quality (1–100, mozjpeg's scale) on one of `every` pairs of MCU rows. */
  estimate(quality: number, every: number, trellis = true): Measured {
    this.engine.exports.requantise_start(quality, trellis ? 1 : 0, every, 0)
    this.engine.exports.requantise_step(ALL_ROWS)
    return (this.last = this.measured())
  }

  /**
   * Requantises everything and keeps it for `write('made')`. `pause` is awaited every few megapixels, so that a large
   * picture does not hold up everything else.
   */
  async requantise(quality: number, pause: (shareLeft: number) => unknown = () => undefined, trellis = true): Promise<Measured> {
    const { exports } = this.engine
    exports.requantise_start(quality, trellis ? 1 : 0, 1, 1)
    const step = Math.max(8, Math.round(STEP_PIXELS / 8 / exports.info(0, 0)))
    let rows = 0
    for (let left = 1; left > 0; ) {
      left = exports.requantise_step(step)
      rows = Math.max(rows, left)
      if (left > 0) await pause(left / (rows + step))
    }
    return (this.last = this.measured())
  }

  /** Where in the file the picture's end marker ended: bytes after it are not the picture's. */
  get endOffset(): number {
    return this.engine.exports.end_offset()
  }

  /** APPn and COM segments between the scans of the file, from their markers on. */
  get lateSegments(): readonly Place[] {
    return this.engine.lateSegments
  }

  /**
   * PSNR in dB of the chroma planes when halved to 4:2:0, looked at on one row of `every`; undefined where that cannot be
   * done (grey, CMYK, already 4:2:0). Stored intake only.
   */
  decimationPsnrDb(every: number): number | undefined {
    const error = this.engine.exports.decimate(Math.max(1, every))
    return error < 0 ? undefined : decibel(error)
  }

  /** Halves chroma to 4:2:0, for good. Stored intake only. */
  decimate(): void {
    this.engine.exports.decimate(0)
  }

  /** Frees the coefficients that came in, or the made ones. */
  release(which: Which): void {
    this.engine.exports.release(which === 'made' ? 1 : 0)
  }

  /**
   * What the scans of `write(which, 'progressive')` will take, estimated from a sample of the rows; the same rows for both,
   * so that they compare better with each other than with the truth.
   */
  estimatedBytes(which: Which): number {
    return this.engine.exports.estimated_bytes(which === 'made' ? 1 : 0)
  }

  /** Exact size in bytes of what `write` would write. */
  size(which: Which, scans: Scans): number {
    return this.engine.exports.finish(which === 'made' ? 1 : 0, SCANS[scans], 0, 1)
  }

  /**
   * The file, in chunks. `headers`: JFIF and Adobe segments as the colour needs them; without (default), only SOI, tables,
   * frame and scans, for callers that bring the segments of the original.
   */
  write(which: Which, scans: Scans, headers = false): Uint8Array[] {
    const chunks: Uint8Array[] = []
    this.engine.collect(
      (chunk) => chunks.push(chunk),
      () => this.engine.exports.finish(which === 'made' ? 1 : 0, SCANS[scans], headers ? 1 : 0, 0),
    )
    return chunks
  }

  /** The file of what was made last, to be decoded at once and forgotten: quickly written, and some per cent longer. */
  show(): Uint8Array[] {
    const chunks: Uint8Array[] = []
    this.engine.collect(
      (chunk) => chunks.push(chunk),
      () => this.engine.exports.show(),
    )
    return chunks
  }

  /** Hash of all coefficients and their quantisation: equal digests mean equal pixels in any decoder. */
  digest(): string {
    const { digest, info } = this.engine.exports
    const { sampling, components, width, height } = this.info
    const parts = Array.from({ length: components }, (_, plane) => [info(7, plane), digest(plane, 0) >>> 0, digest(plane, 1) >>> 0])
    return `${width}x${height} ${sampling} ${parts.map((part) => part.map((word) => word.toString(16)).join('-')).join(' ')}`
  }

  private measured(): Measured {
    const { result } = this.engine.exports
    const error = result(1)
    const blue = result(3)
    const red = result(4)
    // R = Y + 1.402 Cr, G = Y − 0.344 Cb − 0.714 Cr, B = Y + 1.772 Cb: mean of the squared factors.
    const colourError = this.info.colour === 'ycbcr' ? error + 1.086 * blue + 0.825 * red : error
    return { ssim: result(0), psnrDb: decibel(error), colourPsnrDb: decibel(colourError), estimatedBytes: result(2) }
  }
}

import { EngineError } from '../engine-error.ts'
import { log10 } from '../same-math.ts'
import { COLOUR_CODE, Engine, type FileRange, type JpegInput } from './engine.ts'

/** Quality and size of requantised coefficients, compared with the original ones. */
export interface Measured {
  /** Mean SSIM of luma (11 × 11 Gaussian window); for RGB and CMYK that of the worst plane. NaN if only errors are measured. */
  readonly ssim: number
  /** PSNR of luma in dB; 99 for equal coefficients. */
  readonly psnrDb: number
  /** PSNR of RGB in dB, estimated from the errors of all components without their correlation; 99 for equal coefficients. */
  readonly colourPsnrDb: number
  /** Estimated bytes of the result's scan with an ideal sequential coder. Huffman codes take at least 1 % more. */
  readonly estimatedBytes: number
}

export type JpegColour = 'unknown' | 'gray' | 'rgb' | 'ycbcr' | 'cmyk' | 'ycck'

export interface JpegInfo {
  readonly width: number
  readonly height: number
  readonly components: number
  readonly colour: JpegColour
  /** Sampling factors of each component; `2x2,1x1,1x1` is 4:2:0. */
  readonly sampling: string
}

/**
 * Handling of incoming block rows.
 * `store` keeps all coefficients: about two bytes per non-zero coefficient, 1.5 to 2 times the file, or 0.5 to 2 bytes per pixel of rows.
 * `sample` keeps one of `every` pairs of MCU rows for `estimate`. `stream` requantises at once and keeps only the result, with finer steps
 * for the planes in `smoothPlanes`. `hash` keeps only the state of `digest()`. Progressive files are always stored; `stream` then
 * requantises them at the end.
 */
export type IntakeMode =
  | { readonly kind: 'store' }
  | { readonly kind: 'sample'; readonly every: number }
  | {
      readonly kind: 'stream'
      readonly quality: number
      readonly trellis?: boolean
      readonly smoothPlanes?: number
      /** True to keep samples between black and white, as `limitSampleRange()` does. Default: false. */
      readonly within?: boolean
      /** Most bytes of the engine's memory and the written file together. `undefined`: no limit. */
      readonly mostBytes?: number
    }
  | { readonly kind: 'hash' }

/** Form of pixel rows that become a JPEG. */
export interface RowsIn {
  readonly width: number
  readonly height: number
  /**
   * Form of the pixels, with 1, 3, 4 (the fourth is ignored), 3 or 4 channels. CMYK is stored unchanged; Adobe's readers expect inverted
   * values.
   */
  readonly pixels: 'gray' | 'rgb' | 'rgbx' | 'ycbcr' | 'cmyk'
  /** True to halve chroma in both directions. Default: true. No effect on grey and CMYK. */
  readonly subsampled?: boolean
  /** True to code CMYK rows as YCCK, which is smaller and requires an Adobe segment. Default: false. */
  readonly ycck?: boolean
}

/** Order of scans. `progressive` splits bands and bits to suit the picture; it is smaller except for tiny files. */
export type Scans = 'sequential' | 'progressive'

/** Set of coefficients: the original ones (`read`) or the requantised ones (`made`). */
export type CoefficientSet = 'read' | 'made'

/** Placeholder for settings that the engine determines from the picture. */
const UNKNOWN = -1
const ALL_ROWS = 0xffffffff
/** Pixels between two pauses of a requantisation, about 0.1 s. */
const STEP_PIXELS = 2e6

/** Most bytes of a file per byte of packed coefficients; measured: 0.5 to 0.55. */
const WRITTEN_PER_PACKED = 0.6

const INTAKE = { store: 0, sample: 1, stream: 2, hash: 3 } as const
const SCANS = { sequential: 0, progressive: 1 } as const
const COLOURS: readonly JpegColour[] = ['unknown', 'gray', 'rgb', 'ycbcr', 'cmyk', 'ycck']
const CHANNELS = { gray: 1, rgb: 3, rgbx: 4, ycbcr: 3, cmyk: 4 } as const

const decibel = (meanSquaredError: number) => (meanSquaredError > 0 ? Math.min(99, 10 * log10(65025 / meanSquaredError)) : 99)

/**
 * Picture as DCT coefficients. It is read once, requantised any number of times, and written. Each job uses one WebAssembly instance until
 * it is disposed.
 */
export class JpegJob {
  private readonly engine = new Engine()
  private readonly intake: IntakeMode
  private last: Measured | undefined

  private constructor(intake: IntakeMode, chromaQuality: number) {
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

  /** Reads a JPEG file up to its end marker. @throws EngineError if the file is damaged or unsupported */
  static async read(input: JpegInput, intake: IntakeMode = { kind: 'store' }, chromaQuality = 0): Promise<JpegJob> {
    const job = new JpegJob(intake, chromaQuality)
    try {
      job.engine.exports.read_begin()
      await job.engine.pushAll(input, () => job.keepWithin(intake))
      if (intake.kind === 'stream')
        job.last = job.streamed ? job.measured() : await job.requantise(intake.quality, undefined, intake.trellis)
      return job
    } catch (error) {
      job[Symbol.dispose]()
      throw error
    }
  }

  /** Starts a job from pixel rows: call `write` with any number of whole rows, then `end`. */
  static fromRows(
    rows: RowsIn,
    intake: IntakeMode = { kind: 'store' },
    chromaQuality = 0,
  ): { write(rows: Uint8Array): void; end(): JpegJob } {
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
        engine.withCopy(bytes, (pointer) => engine.exports.rows_in_write(pointer, bytes.length / stride))
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

  /** Peak of the WebAssembly memory so far, in bytes. */
  get memoryBytes(): number {
    return this.engine.memoryBytes
  }

  /** Bytes of packed coefficients currently in memory. */
  get packedBytes(): number {
    return this.engine.exports.info(6, 0)
  }

  /** Estimate of the engine's memory plus the file to be written, in bytes. */
  get neededBytes(): number {
    return this.memoryBytes + this.packedBytes * WRITTEN_PER_PACKED
  }

  /** Checks the memory limit of a `stream` job. @throws EngineError `memory` as soon as the rows so far exceed it */
  private keepWithin(intake: IntakeMode): void {
    if (intake.kind !== 'stream' || intake.mostBytes === undefined) return
    if (this.neededBytes > intake.mostBytes) throw new EngineError('jpeg', 'memory', 'the result does not fit into the memory budget')
  }

  /** True if rows were requantised while they were read (`stream`, and the file is not progressive). */
  get streamed(): boolean {
    return this.intake.kind === 'stream' && this.engine.exports.info(8, 0) === 1
  }

  /** Returns the engine's memory to the pool. */
  [Symbol.dispose](): void {
    this.engine.close()
  }

  /** Figures of the last requantisation: of all rows for `requantise` and `stream`, of a sample for `estimate`. */
  get figures(): Measured {
    if (!this.last) throw new EngineError('jpeg', 'misuse', 'nothing was requantised yet: call requantise() or estimate() first')
    return this.last
  }

  /** Measures only errors from now on, which takes a third less time; `ssim` is then NaN. */
  measureErrorsOnly(): void {
    this.engine.exports.measure_errors_only(1)
  }

  /** Keeps requantised samples between black and white from now on. For pictures below a mask, whose figures also count hidden pixels. */
  limitSampleRange(): void {
    this.engine.exports.stay_within(1)
  }

  /**
   * Bit set of planes (bit 0 is the first) with large smooth areas, such as skies or paper. Quantisation shows there as bands and blocks,
   * so these planes get finer quantisation tables.
   */
  get smoothPlanes(): number {
    return this.engine.exports.smooth_planes()
  }

  /** Turns finer steps for smooth planes on or off. Default: on. Off allows sizes that cannot be reached otherwise. */
  refineSmooth(enabled: boolean): void {
    this.engine.exports.assume_smooth(enabled ? UNKNOWN : 0)
  }

  /**
   * Sets experimental quantisation tables: 64 luma and 64 chroma steps at quality 50, and the weight of errors relative to MozJPEG. For
   * table searches only.
   */
  setTables(steps: Uint32Array, weight: number): void {
    const { engine } = this
    engine.withCopy(new Uint8Array(steps.buffer, steps.byteOffset, steps.byteLength), (pointer) =>
      engine.exports.try_tables(pointer, weight),
    )
  }

  /** Requantises one of `every` pairs of MCU rows at `quality` (1 to 100, MozJPEG's scale) and returns the figures. */
  estimate(quality: number, every: number, trellis = true): Measured {
    this.engine.exports.requantise_start(quality, trellis ? 1 : 0, every, 0)
    this.engine.exports.requantise_step(ALL_ROWS)
    return (this.last = this.measured())
  }

  /**
   * Requantises all rows and keeps the result for `write('made')`. `pause` is awaited every few megapixels, so that other tasks can run.
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

  /** Offset in the file of the first byte after the picture's end marker. */
  get endOffset(): number {
    return this.engine.exports.end_offset()
  }

  /** APPn and COM segments between the scans of the file, including their markers. */
  get lateSegments(): readonly FileRange[] {
    return this.engine.lateSegments
  }

  /**
   * PSNR in dB of chroma planes halved to 4:2:0, measured on one of `every` rows. `undefined`: grey, CMYK, or already 4:2:0. Requires
   * stored coefficients.
   */
  decimationPsnrDb(every: number): number | undefined {
    const error = this.engine.exports.decimate(Math.max(1, every))
    return error < 0 ? undefined : decibel(error)
  }

  /** Halves chroma to 4:2:0 permanently. Requires stored coefficients. */
  decimate(): void {
    this.engine.exports.decimate(0)
  }

  /** Frees the original or the requantised coefficients. */
  release(which: CoefficientSet): void {
    this.engine.exports.release(which === 'made' ? 1 : 0)
  }

  /**
   * Estimated bytes of the scans of `write(which, 'progressive')`, from a sample of the rows. Both sets use the same rows, so their ratio
   * is more exact than each estimate.
   */
  estimatedBytes(which: CoefficientSet): number {
    return this.engine.exports.estimated_bytes(which === 'made' ? 1 : 0)
  }

  /** Exact size in bytes of the file that `write` would return. */
  size(which: CoefficientSet, scans: Scans): number {
    return this.engine.exports.finish(which === 'made' ? 1 : 0, SCANS[scans], 0, 1)
  }

  /**
   * Returns the file in chunks. `headers`: include the JFIF or Adobe segments that the colours need. Default: only SOI, tables, frame
   * header and scans, for callers that add the original's segments.
   */
  write(which: CoefficientSet, scans: Scans, headers = false): Uint8Array[] {
    const chunks: Uint8Array[] = []
    this.engine.collect(
      (chunk) => chunks.push(chunk),
      () => this.engine.exports.finish(which === 'made' ? 1 : 0, SCANS[scans], headers ? 1 : 0, 0),
    )
    return chunks
  }

  /**
   * Returns a temporary file of the last result, to be decoded for measurements. It is written quickly and a few percent larger than
   * `write`.
   */
  writePreview(): Uint8Array[] {
    const chunks: Uint8Array[] = []
    this.engine.collect(
      (chunk) => chunks.push(chunk),
      () => this.engine.exports.show(),
    )
    return chunks
  }

  /**
   * Returns a JPEG file of one of every `every` bands of 64 pixel rows of the original coefficients, one band below the other.
   * `undefined`: the picture has too few bands, unusual sampling, or bands that differ much. Requires stored coefficients.
   */
  writeCut(every: number): Uint8Array[] | undefined {
    const chunks: Uint8Array[] = []
    let height = 0
    this.engine.collect(
      (chunk) => chunks.push(chunk),
      () => {
        height = this.engine.exports.write_cut(every)
      },
    )
    return height > 0 ? chunks : undefined
  }

  /** Hash of all coefficients and quantisation tables. Equal digests mean equal pixels in every decoder. */
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
    // R = Y + 1.402 Cr, G = Y − 0.344 Cb − 0.714 Cr, B = Y + 1.772 Cb; the weights are means of the squared factors.
    const colourError = this.info.colour === 'ycbcr' ? error + 1.086 * blue + 0.825 * red : error
    return { ssim: result(0), psnrDb: decibel(error), colourPsnrDb: decibel(colourError), estimatedBytes: result(2) }
  }
}

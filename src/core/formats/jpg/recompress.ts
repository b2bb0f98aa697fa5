/** Recompresses a JPEG: requantises it to the level's target, or codes the same coefficients in fewer bytes. */

import { isEngineError } from '../../../../wasm/engine-error.ts'
import { JpegJob, type Measured, recode, type Scans } from '../../../../wasm/jpeg/jpeg.ts'
import { yieldToEventLoop } from '../../bytes/yield.ts'
import { gentlerLevelsOf } from '../../catalog/level-order.ts'
import { LEVELS, type LossyPictureTarget, type PicturePerceptualTarget, pictureTarget, type Quality } from '../../catalog/levels.ts'
import { perceptualTarget } from '../../catalog/small-pictures.ts'
import { FLOORS, reaches } from '../../catalog/target.ts'
import { type Message, message } from '../../i18n/message.ts'
import { cutOf, searchCut } from '../../images/jpeg/cut-search.ts'
import { jpegRaster } from '../../images/jpeg/decode.ts'
import {
  canBeScored,
  isBoundByLuma,
  type Known,
  requantiseToScore,
  similarityOfJob,
  startingQuality,
  streamToScore,
} from '../../images/jpeg/perceptual-search.ts'
import {
  qualityAfterMiss,
  reachesWithinStreamedTolerance,
  requantiseToSize,
  requantiseToTarget,
  sampleEvery,
  searchQuality,
  writeSmallest,
  writeSmallestLossless,
} from '../../images/jpeg/quality-search.ts'
import { HIGHEST_QUALITY, STREAMED_CAUTION } from '../../images/jpeg/tuning.ts'
import { cachedIfSmall } from '../../images/raster/cached-raster.ts'
import type { Raster } from '../../images/raster/raster.ts'
import { ScoredRows } from '../../images/search/scored-rows.ts'
import { fitsMemoryBudget } from '../../model/budget.ts'
import type { Options, Outcome, Sink, Source } from '../../model/codec.ts'
import { overBudget, TargetUnreachable } from '../../model/error.ts'
import { lossOf, pixelLoss } from '../../model/loss.ts'
import { freedChunks } from '../../model/source.ts'
import { assemble, assembledBytes, type KeptParts, keptPartsOf, keptSteps } from './assemble.ts'
import { type ReadPicture, ScoredResult } from './scored-result.ts'
import { type JpegHeader, lateSegments } from './segments.ts'
import {
  BASE_BYTES,
  BYTES_PER_COLUMN,
  ESTIMATE_ERROR,
  FULL_CHROMA_QUALITY,
  LOSSLESS_BEST,
  LOSSY_RATIO,
  MEMORY_PER_FILE_BYTE,
  NEAR_POINTS,
  SSIM_WINDOW_SIDE,
  STORED_FILE_MAX_BYTES,
} from './tuning.ts'

/** Colour codings that all decoders show alike, with or without the file's segments. */
const SHOWN_ALIKE: ReadonlySet<string> = new Set(['ycbcr', 'gray'])

/** Possible result: its data, size and outcome. */
interface Candidate {
  readonly job: ReadPicture
  /** Tables, frame header and scans, with an SOI marker. */
  readonly coded: readonly Uint8Array[]
  /** Size of the whole result in bytes. */
  readonly bytes: number
  readonly outcome: Extract<Outcome, { kind: 'compressed' }>
}

/** Receipt step of halved chroma. */
const CHROMA_HALVED = message('chroma_halved')

interface Made {
  readonly job: JpegJob
  readonly quality: number
  readonly figures: Measured
  /** True if the result reaches the target of its level. */
  readonly reached: boolean
  /** Score points above the target of the level. `undefined`: no score was measured. */
  readonly margin?: number
  /** SSIMULACRA 2 score of the whole picture. `undefined`: not measured. */
  readonly score?: number | undefined
}

export async function recompress(
  source: Source,
  sink: Sink,
  header: JpegHeader,
  options: Options,
): Promise<Outcome & { readonly evidence?: ScoredResult }> {
  const task = new Recompression(source, header, options)
  const best = await task.best()
  if (!best || best.bytes >= source.size) return { kind: 'unchanged', reason: 'no_gain' }
  using job = best.job
  const { coded, outcome } = best
  const frame = await task.frame(job)
  options.progress(0.95)
  await assemble(source, sink, frame, coded)
  const { scoredRows } = task
  const evidence = scoredRows.isEmpty ? {} : { evidence: new ScoredResult(scoredRows, job) }
  return { ...outcome, steps: [...outcome.steps, ...keptSteps(source, frame)], ...evidence }
}

class Recompression {
  readonly source: Source
  readonly header: JpegHeader
  readonly options: Options
  steps: Message[] = []
  readonly target: LossyPictureTarget
  readonly perceptualTarget: PicturePerceptualTarget
  readonly scoredRows = new ScoredRows()
  /** Pixels of the upload, which all probes are compared with. */
  readonly #reference: Raster

  constructor(source: Source, header: JpegHeader, options: Options) {
    this.source = source
    this.header = header
    this.options = options
    this.target = pictureTarget(options.quality)
    this.perceptualTarget = perceptualTarget(options, header)
    // Two results may be held at a time.
    this.#reference = cachedIfSmall(jpegRaster(source, header), options.memoryBudget - 2 * this.needForBoth)
  }

  async best(): Promise<Candidate | undefined> {
    const { header, options } = this
    const measurable = Math.min(header.width, header.height) >= SSIM_WINDOW_SIDE
    if (options.lossless || !measurable) return this.lossless()
    if (options.targetSize !== undefined && options.targetSize < this.source.size) return this.toSize(options.targetSize)
    const stored = fitsMemoryBudget(this.options, this.needForBoth, STORED_FILE_MAX_BYTES)
    const made = stored ? await this.fewestStored() : await this.streamed()
    const isUnchanged = stored && this.steps.length === 0
    if (!made.reached || !reachesFloors(made.figures)) {
      if (isUnchanged) return this.lossless(made.job)
      made.job[Symbol.dispose]()
      return this.lossless()
    }
    if (isUnchanged) {
      const share = shareOf(made.job)
      if (share > LOSSY_RATIO + ESTIMATE_ERROR) return this.lossless(made.job)
      if (share < LOSSY_RATIO - ESTIMATE_ERROR) return this.perceptual(made)
    }
    const perceptual = await this.perceptual(made)
    const hopeless = LOSSLESS_BEST[header.progressive ? 'progressive' : 'sequential'] * (this.source.size - header.scanOffset)
    if (codedBytes(perceptual) < hopeless) return perceptual
    const exact = await this.exactBeside(made.job, isUnchanged)
    if (!exact) return perceptual
    const [chosen, other] = codedBytes(perceptual) < codedBytes(exact) * LOSSY_RATIO ? [perceptual, exact] : [exact, perceptual]
    if (other.job !== chosen.job) other.job[Symbol.dispose]()
    return chosen
  }

  /**
   * Lossless candidate, from the coefficients of `job`, or from another reading if `job` was changed. `undefined`: memory does not suffice
   * for both.
   */
  private async exactBeside(job: JpegJob, isUnchanged: boolean): Promise<Candidate | undefined> {
    if (isUnchanged) return this.lossless(job)
    if (fitsMemoryBudget(this.options, this.need('read') + job.memoryBytes)) return this.lossless()
    if (this.header.progressive) return undefined
    return this.recoded(job.memoryBytes).catch((error: unknown) => {
      if (isEngineError(error) && error.failure === 'memory') return undefined
      throw error
    })
  }

  /** Result of the level, or of a gentler level if that is smaller, so that `low` is never larger than `medium`. */
  private async fewestStored(): Promise<Made> {
    let best = await this.stored(this.options.quality)
    for (const level of gentlerLevelsOf(this.options)) {
      // A result that scores clearly below the gentler level's target is smaller than that level's result.
      const points = (best.score ?? Number.NEGATIVE_INFINITY) - this.perceptualTargetAt(level).score
      if (!best.reached || points < -NEAR_POINTS || !fitsMemoryBudget(this.options, this.needForBoth + best.job.memoryBytes)) break
      const steps = this.steps.splice(0)
      const other = await this.stored(level)
      const isSmaller = other.reached && other.job.estimatedBytes('made') < best.job.estimatedBytes('made')
      const [chosen, unused] = isSmaller ? [other, best] : [best, other]
      if (!isSmaller) this.steps = steps
      unused.job[Symbol.dispose]()
      best = chosen
    }
    return best
  }

  /** Perceptual target of a level, or of the score that the caller asked for. */
  private perceptualTargetAt(quality: Quality): PicturePerceptualTarget {
    return perceptualTarget({ ...this.options, quality }, this.header)
  }

  /** Searches with original and requantised coefficients in memory. */
  private async stored(level: Quality): Promise<Made> {
    const job = await this.read()
    const cut = this.isSteeredByScore(job) ? cutOf(job, this.options.memoryBudget / 2 - this.needForBoth) : undefined
    await this.decimate(job, LEVELS.halvedChromaPsnrDb[level])
    const known = cut && (await searchCut(cut, this.steps.length > 0, this.perceptualTargetAt(level), this))
    const made = await this.requantised(job, level, known)
    if (this.steps.length === 0 || (made.reached && isBoundByLuma(made, this.perceptualTargetAt(level)))) return made
    this.steps.length = 0
    if (!made.reached) job[Symbol.dispose]()
    else if (!fitsMemoryBudget(this.options, this.needForBoth + job.memoryBytes)) {
      this.steps.push(CHROMA_HALVED)
      return made
    }
    // Halved chroma may have missed the target, or required finer steps that cost more than it saves. Try full chroma as well.
    const whole = await this.requantised(await this.read(), level, made.reached ? { quality: made.quality, margin: made.margin } : {})
    if (!made.reached) return whole
    const isSmaller = whole.reached && whole.job.estimatedBytes('made') < job.estimatedBytes('made')
    const [chosen, other] = isSmaller ? [whole, made] : [made, whole]
    if (chosen === made) this.steps.push(CHROMA_HALVED)
    other.job[Symbol.dispose]()
    return chosen
  }

  /** Requantises to the level. `known`: with a margin, the end of the search in the other chroma format, which this one must beat. */
  private async requantised(job: JpegJob, level: Quality, known: Known = {}): Promise<Made> {
    if (!this.isSteeredByScore(job)) return { job, ...(await requantiseToTarget(job, pictureTarget(level), this)) }
    const target = this.perceptualTargetAt(level)
    const found = await requantiseToScore(job, this.#reference, target, this, known)
    return { job, ...found, score: found.perceptual.score }
  }

  /**
   * True if the perceptual score steers the search: colours do not depend on segments, and there is memory for the rows of both pictures.
   */
  private isSteeredByScore(job: JpegJob): boolean {
    if (!SHOWN_ALIKE.has(job.info.colour) || !canBeScored(this.header)) return false
    return !this.header.progressive || fitsMemoryBudget(this.options, this.need('shownProgressive'))
  }

  /** True if the result is so close to the lossless size that the lossless one will be chosen. */
  isPointless(job: JpegJob): boolean {
    return this.steps.length === 0 && shareOf(job) > LOSSY_RATIO + ESTIMATE_ERROR
  }

  /**
   * Reads the file twice: a sample to find the quality, then all rows, which are requantised while they are read. Only the result is
   * stored, and its size is limited.
   */
  private async streamed(): Promise<Made> {
    const { header } = this
    if (header.progressive) this.require(this.needForBoth)
    const every = sampleEvery(header.width, header.height)
    // Rarely, the sample is needed again. It is read again, because its memory is used by the second reading.
    const sampled = async (search: (sample: JpegJob) => Promise<number>) => {
      using sample = await JpegJob.read(this.chunks(0, 0.3), { kind: 'sample', every })
      return await search(sample)
    }
    let smoothPlanes = 0
    let isScored = false
    let quality = await sampled((sample) => {
      smoothPlanes = sample.smoothPlanes
      isScored = this.isSteeredByScore(sample)
      return isScored ? startingQuality(sample, this.perceptualTarget, this) : searchQuality(sample, this.target, this, STREAMED_CAUTION)
    })
    const mostBytes = this.options.memoryBudget - BASE_BYTES.read - 2 * header.scanOffset
    const read = (at: number) => JpegJob.read(this.chunks(0.3, 0.8), { kind: 'stream', quality: at, smoothPlanes, mostBytes })
    if (isScored) return await streamToScore(read, jpegRaster(this.source, header), this.perceptualTarget, quality, this.scoredRows)
    for (;;) {
      const job = await read(quality)
      const { figures } = job
      const reached = reachesWithinStreamedTolerance(figures, this.target)
      if (reached || quality >= HIGHEST_QUALITY) return { job, quality, figures, reached }
      job[Symbol.dispose]()
      const missed = quality
      quality = await sampled((sample) => qualityAfterMiss(sample, missed, figures, this.target, this))
    }
  }

  /** Searches for the best result that fits the target size; lossless if that fits. */
  private async toSize(limit: number): Promise<Candidate> {
    this.require(this.needForBoth)
    const job = await this.read()
    const exact = await this.lossless(job)
    if (exact.bytes <= limit) return exact
    const overhead = assembledBytes(this.source, await this.frame(job), 0)
    const searchToSize = () => requantiseToSize(job, limit, overhead, this)
    if (this.mayDecimate(job, LEVELS.halvedChromaPsnrDb.low)) {
      // Keep full chroma if the quality is high enough: then finer steps bring less than finer colour.
      const full = await searchToSize().catch((error: unknown) => {
        if (error instanceof TargetUnreachable) return undefined
        throw error
      })
      if (full && full.quality >= FULL_CHROMA_QUALITY) return this.perceptual({ job, ...full })
      await this.decimate(job, LEVELS.halvedChromaPsnrDb.low)
    }
    return this.perceptual({ job, ...(await searchToSize()) })
  }

  /** Codes the same coefficients in fewer bytes, without loss. */
  private async lossless(job?: JpegJob): Promise<Candidate> {
    if (!job && !this.header.progressive && this.need('read') > this.options.memoryBudget) return this.recoded()
    this.require(this.need('read'))
    const read = job ?? (await this.read())
    const { scans, coded, bytes } = await this.assembled(read, writeSmallestLossless(read, this.source.size - this.header.scanOffset))
    return { job: read, coded, bytes, outcome: recodedAs(scans) }
  }

  /** Codes the coefficients of large sequential files without storing them. */
  private async recoded(besideBytes = 0): Promise<Candidate> {
    const left = this.options.memoryBudget - BASE_BYTES.read - 2 * this.header.scanOffset
    let from = 0
    // Progress share of one of the three readings; the last reading takes the longest.
    const read = () => this.chunks(from, (from += 0.3))
    const { chunks, bytes, endOffset, lateSegments } = await recode(read, { mostBytes: left - besideBytes, mostPacked: left })
    const job = { endOffset, lateSegments, [Symbol.dispose]: () => undefined }
    return { job, coded: chunks, bytes: assembledBytes(this.source, await this.frame(job), bytes), outcome: recodedAs('progressive') }
  }

  private async perceptual({ job, quality, figures }: Omit<Made, 'reached'>): Promise<Candidate> {
    const { scans, coded, bytes } = await this.assembled(job, writeSmallest(job, figures))
    const steps = [...this.steps, message(scans === 'sequential' ? 'requantised_sequential' : 'requantised_progressive', { quality })]
    return { job, coded, bytes, outcome: { kind: 'compressed', ...lossOf(pixelLoss(await this.shownFigures(job, figures))), steps } }
  }

  /** Figures of a result with halved chroma: the lower ones of the coded luma, and of the luma that viewers show. */
  private async shownFigures(job: JpegJob, coded: Measured): Promise<Pick<Measured, 'ssim' | 'psnrDb'>> {
    if (!this.steps.includes(CHROMA_HALVED) || !this.isSteeredByScore(job)) return coded
    const shown = (await similarityOfJob(job, this.#reference)) ?? coded
    return { ssim: Math.min(coded.ssim, shown.ssim), psnrDb: Math.min(coded.psnrDb, shown.psnrDb) }
  }

  /** Returns the coded scans together with the size of the whole file. */
  private async assembled<T extends { bytes: number }>(job: JpegJob, coded: T): Promise<T> {
    return { ...coded, bytes: assembledBytes(this.source, await this.frame(job), coded.bytes) }
  }

  private async decimate(job: JpegJob, lossPsnrDb: number): Promise<void> {
    if (!this.mayDecimate(job, lossPsnrDb)) return
    job.decimate()
    this.steps.push(CHROMA_HALVED)
    await this.pause()
  }

  /** True if chroma is finer than 4:2:0 and halving it keeps at least this PSNR in dB. */
  private mayDecimate(job: JpegJob, lossPsnrDb: number): boolean {
    const { width, height } = this.header
    const psnrDb = job.decimationPsnrDb(sampleEvery(width, height))
    return psnrDb !== undefined && psnrDb >= lossPsnrDb
  }

  private read(): Promise<JpegJob> {
    return JpegJob.read(this.chunks(0, 0.4), { kind: 'store' })
  }

  async frame(job: ReadPicture): Promise<KeptParts> {
    const late = await lateSegments(this.source, job.lateSegments)
    const segments = [...this.header.segments, ...late]
    return keptPartsOf(this.source, { ...this.header, segments }, job.endOffset, late.length)
  }

  /** Peak memory in bytes while the given set of coefficients is stored. */
  private need(coefficients: keyof typeof MEMORY_PER_FILE_BYTE): number {
    const { width, scanOffset } = this.header
    const memoryKind = coefficients === 'read' ? 'read' : 'measured'
    return (
      BASE_BYTES[memoryKind] +
      2 * scanOffset +
      width * BYTES_PER_COLUMN[memoryKind] +
      (this.source.size - scanOffset) * MEMORY_PER_FILE_BYTE[coefficients]
    )
  }

  private get needForBoth(): number {
    return this.need(this.header.progressive ? 'bothProgressive' : 'both')
  }

  private require(bytes: number): void {
    if (fitsMemoryBudget(this.options, bytes)) return
    throw overBudget(message('about_mb_of_memory_would_be_needed', { megabytes: Math.ceil(bytes / 1048576) }))
  }

  /** Yields the chunks of the file and reports progress between `from` and `to`. */
  private async *chunks(from: number, to: number): AsyncGenerator<Uint8Array> {
    let done = 0
    for await (const chunk of freedChunks(this.source)) {
      this.options.signal.throwIfAborted()
      done += chunk.length
      this.options.progress(from + ((to - from) * done) / this.source.size)
      yield chunk
    }
  }

  async pause(): Promise<void> {
    await yieldToEventLoop(this.options.signal)
  }
}

/** Ratio of the result's estimated bytes to those of the original. */
const shareOf = (job: JpegJob) => job.estimatedBytes('made') / job.estimatedBytes('read')

function recodedAs(scans: Scans): Candidate['outcome'] {
  const step = message(scans === 'sequential' ? 'same_coefficients_huffman' : 'same_coefficients_progressive')
  return { kind: 'compressed', steps: [step] }
}

/** Size in bytes of tables and scans, without the copied segments. */
const codedBytes = ({ coded }: Candidate) => coded.reduce((sum, chunk) => sum + chunk.length, 0)

/** True if the result is above the absolute floors. With very coarse steps in the source, even the gentlest search can fall below them. */
const reachesFloors = ({ ssim, psnrDb }: Measured) => reaches({ ssim, psnrDb }, FLOORS)

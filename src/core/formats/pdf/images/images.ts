/** Chooses for each image of a PDF how it is recompressed at the requested level. */

import { isEngineError } from '../../../../../wasm/engine-error.ts'
import { JpegJob } from '../../../../../wasm/jpeg/jpeg.ts'
import { releaseDeflate } from '../../../bytes/deflate.ts'
import { gentlerLevelsOf } from '../../../catalog/level-order.ts'
import { LEVELS, type PicturePerceptualTarget } from '../../../catalog/levels.ts'
import { type QualityGoal, targetOfGoal } from '../../../catalog/score-goal.ts'
import type { Quality } from '../../../model/codec.ts'
import { lossWithScore, pixelLoss, worseLoss } from '../../../model/loss.ts'
import type { TimeBudget } from '../../../model/time-budget.ts'
import type { Filter } from '../filters.ts'
import { nameOf, PdfSyntax, type Stream } from '../objects.ts'
import type { Reader } from '../reader.ts'
import { DeflateEffort, type RewrittenStream } from '../recompress.ts'
import {
  CLEARLY_SMALLER,
  DOWNSAMPLE_RESOLUTION_FACTORS,
  LEAST_VIEW_PIXELS,
  LOSSY_GAIN,
  MAX_DOWNSAMPLE_FAILURES,
  MAX_GENTLER_LEVEL_BYTES,
  MIN_PHOTO_PIXELS,
  SECONDS_PER_MEGAPIXEL,
  SMALLEST_LOSSY_BYTES,
  SMALLEST_REDUCTION,
  SMALLEST_REQUESTED_REDUCTION,
} from '../tuning.ts'
import type { DrawnImage } from '../usage.ts'
import { isBilevel, recodeBilevel } from './bilevel.ts'
import { type Candidate, isMuchSmaller, maxLossyBytes, meetsFloors, type Picture, smallestCandidate } from './candidate.ts'
import { estimateImageSeconds } from './cpu-estimate.ts'
import { encodeAtFullSize, QualityHints } from './downsample.ts'
import { type LosslessTrial, tryLossless } from './exact.ts'
import { type ImageFacts, imageFacts, imageFilter } from './facts.ts'
import { comparisonSizes, scoresAtPlacement } from './grids.ts'
import { MAX_BUFFERED_JPEG_BYTES, needsAdobeSegment, recodeJpeg } from './jpeg.ts'
import { CMYK_FLOORS, FLOORS, MIN_DOWNSAMPLED_PSNR_DB, PAGE_RESOLUTION_LEVELS, TARGETS } from './levels.ts'
import { MaskRows, openMask, shownShare } from './mask.ts'
import { measurePicture, type PictureMeasurement } from './measure.ts'
import { PaletteBudget, quantiseToPalette } from './near-palette.ts'
import { visiblePartScores, wholePictureTarget } from './opacity.ts'
import { type EncodeRequest, isSimilarEnough, type ReencodedPicture, reencode, reencodeMasked, reencodePreview } from './reencode.ts'
import { emptyReport } from './report.ts'
import { decodeResult, imageDictionaryOf, isInverted, toRgbPicture } from './result.ts'
import { hasRows, jpegDataChunks, openRows, throwAsPdfSyntax } from './rows.ts'
import { adjustTargetForMask, type PerceptualGoal, reopeningMaskedReference, reopeningReference, ScoreBudget } from './seen.ts'
import { downsampledSize, screenSizeOf } from './sizes.ts'
import { type Preview, type Size, screenReference, similarity, takeMaskedPreview, takePreview } from './view.ts'

/** Minimum PSNR in dB for halving the chroma resolution of an existing JPEG. `undefined`: never halved. */
const CHROMA_PSNR_DB: Readonly<Record<Quality, number | undefined>> = { high: undefined, medium: 38, low: 34, ultra: 34 }

/** Number of pixels above which downsampling takes seconds and much memory. */
const LARGE_PIXELS = 2_000_000
/** Maximum pixels of a picture that is kept in memory for comparisons. */
const MAX_PREVIEW_PIXELS = 3_000_000

/** Settings of the image recompressor. `time`: CPU time for the pictures of the document; `undefined`: no limit. */
interface Aim {
  readonly goal: QualityGoal
  readonly lossless: boolean
  /** Resolution that the caller asked for. `undefined`: that of the level. */
  readonly dotsPerInch: number | undefined
  readonly time: TimeBudget | undefined
  readonly signal: AbortSignal
}

export class ImageRecompressor {
  readonly report = emptyReport()
  private readonly reader: Reader
  private readonly drawn: ReadonlyMap<number, DrawnImage>
  private readonly masks: ReadonlySet<number>
  private readonly goal: QualityGoal
  private readonly lossless: boolean
  private readonly dotsPerInch: number | undefined
  private readonly time: TimeBudget | undefined
  private readonly signal: AbortSignal
  private readonly palettes = new PaletteBudget()
  private readonly effort: DeflateEffort
  /** Pixel budget for perceptual scores, one for each level. The result of a level must not depend on levels tried before. */
  private readonly scoreBudgets = { high: new ScoreBudget(), medium: new ScoreBudget(), low: new ScoreBudget(), ultra: new ScoreBudget() }
  /** Last JPEG quality found for each level. The next search starts there, because pages of a scan resemble each other. */
  private readonly hints: Record<Quality, number> = { high: 85, medium: 70, low: 50, ultra: 50 }

  /** Last search results for pictures that are stored larger than they are drawn, for each level. */
  private readonly sizeHints = new Map<Quality, QualityHints>()
  /** Consecutive failures to downsample large pictures, by resolution in dpi. Scans of printed text always fail. */
  private readonly downsampleFailures = new Map<number, number>()

  /** `masks`: object numbers of images that are masks of other images. */
  constructor(
    reader: Reader,
    drawn: ReadonlyMap<number, DrawnImage>,
    masks: ReadonlySet<number>,
    { goal, lossless, dotsPerInch, time, signal }: Aim,
  ) {
    this.reader = reader
    this.drawn = drawn
    this.masks = masks
    this.goal = goal
    this.effort = new DeflateEffort(goal.effort)
    this.lossless = lossless
    this.dotsPerInch = dotsPerInch
    this.time = time
    this.signal = signal
  }

  readonly transform = async (number: number, stream: Stream, chain: Filter[]): Promise<RewrittenStream | undefined> => {
    if (nameOf(await this.reader.entry(stream.dict, 'Subtype')) !== 'Image') return undefined
    const facts = await imageFacts(this.reader, stream, chain)
    if (!facts) return undefined
    if (isBilevel(facts)) {
      const recoded = await recodeBilevel(this.reader, stream, facts, this.effort)
      if (recoded) this.report.exact++
      return recoded
    }
    const isJpeg = imageFilter(facts) === 'DCTDecode'
    const isMask = this.masks.has(number)
    const exact = isJpeg ? undefined : await tryLossless(this.reader, { stream, facts, chain, isMask }, this.effort)
    if (facts.length < SMALLEST_LOSSY_BYTES || !hasRows(facts)) return exact && this.finishLossless(exact)
    // /ColorTransform contradicts or repeats the header of the JPEG (ISO 32000-2, 7.4.8, table 13).
    if (isJpeg && facts.chain.at(-1)?.parms?.has('ColorTransform')) return undefined
    if (facts.width * facts.height > LARGE_PIXELS) releaseDeflate()
    const picture: Picture = {
      number,
      stream,
      facts,
      isJpeg,
      isMask,
      mask: await this.maskOf(facts),
      drawn: this.drawn.get(number),
      hasCandidate: false,
      isGraphic: false,
    }
    // Samples that are too large for memory can still be decoded row by row.
    const budget = Math.min(facts.length, exact?.trialBytes ?? facts.length)
    const coded = await this.best(picture, budget).catch(declined)
    // Deflate at full effort takes seconds, so it runs only if it may produce the smallest result.
    const lossless = isJpeg || (coded && coded.data.length < CLEARLY_SMALLER * budget) ? undefined : await exact?.finish()
    const gain = coded?.figures ? LOSSY_GAIN : 1
    if (!coded || (lossless && coded.data.length > lossless.data.length * gain)) return lossless && exact && this.counted(lossless, exact)
    this.addToReport(coded)
    return { dict: imageDictionaryOf(facts, coded), data: coded.data }
  }

  private async finishLossless(exact: LosslessTrial): Promise<RewrittenStream | undefined> {
    const lossless = await exact.finish()
    return lossless && this.counted(lossless, exact)
  }

  private counted(lossless: RewrittenStream, { packed }: LosslessTrial): RewrittenStream {
    if (lossless === packed) this.report.packed++
    return lossless
  }

  private async maskOf({ dict, components, palette }: ImageFacts): Promise<Picture['mask']> {
    try {
      if (!(await openMask(this.reader, dict))) return 'none'
      return (palette?.channels ?? components) === 4 ? 'unread' : 'read'
    } catch (error) {
      if (error instanceof PdfSyntax) return 'unread'
      throw error
    }
  }

  /**
   * Returns the smallest candidate of the requested level. If the level is uncertain for this picture, gentler levels are tried as well.
   * `undefined`: no candidate.
   */
  private async best(picture: Picture, budget: number): Promise<Candidate | undefined> {
    if (this.lossless && !picture.isJpeg) return undefined
    if (this.time?.take(estimateImageSeconds(picture.facts, this.lossless ? 'exact' : picture.isJpeg ? 'jpeg' : 'samples')) === false)
      return undefined
    let best: Candidate | undefined
    for (const quality of this.lossless ? (['high'] as const) : [this.goal.quality, ...gentlerLevelsOf(this.goal)]) {
      const limit = Math.min(budget, best?.data.length ?? budget)
      picture.hasCandidate = best !== undefined
      // Each level examines the picture at its own resolution, so photo detection starts again.
      picture.isGraphic = false
      const found = picture.isJpeg
        ? await this.jpeg(picture, quality, limit)
        : await this.samples(picture, quality, maxLossyBytes(picture, limit))
      const accepted = found && found.data.length < limit ? await this.aboveFloors(picture, found) : undefined
      if (accepted) best = accepted
      if (best && !best.deflated && best.figures && picture.facts.length >= MAX_GENTLER_LEVEL_BYTES[best.reduced ? 'reduced' : 'coarser'])
        break
    }
    if (best?.reduced && this.dotsPerInch !== undefined) return best
    return (await this.quantisedDrawing(picture, Math.min(budget, best?.data.length ?? budget))) ?? best
  }

  /** Quantises a drawing at full size to the palette that the level allows. The quantiser also tries gentler levels. */
  private async quantisedDrawing(picture: Picture, budget: number): Promise<Candidate | undefined> {
    const { stream, facts, isMask, mask, isGraphic: graphic } = picture
    const isSmall = facts.width * facts.height < MIN_PHOTO_PIXELS
    if (isMask || mask !== 'none' || !(graphic || isSmall) || !this.palettes.spend(facts)) return undefined
    if (this.time?.take((facts.width * facts.height * SECONDS_PER_MEGAPIXEL) / 1e6) === false) return undefined
    const aim = { ...this.goal, signal: this.signal, budget }
    const quantised = await quantiseToPalette(facts, () => openRows(this.reader, stream, facts), aim)
    if (!quantised || quantised.data.length >= budget) return undefined
    const { width, height, components } = facts
    return this.aboveFloors(picture, { ...quantised, width, height, channels: components, quality: 0, reduced: false })
  }

  /** Measures a candidate at its stored size and at each placement on a page. `undefined`: it falls below a floor. */
  private async aboveFloors(picture: Picture, found: Candidate): Promise<Candidate | undefined> {
    if (!found.figures) return found
    const placements = picture.drawn?.placements ?? []
    const comparedSizes = comparisonSizes(placements)
    const { stored, drawn, ssimulacra2 } = await this.measured(picture, found, comparedSizes)
    const floors = found.channels === 4 ? CMYK_FLOORS : FLOORS
    if (!meetsFloors(stored, floors) || !this.reachesScore(ssimulacra2)) return undefined
    // At a resolution that the caller asked for, the result is compared with the reduced picture alone.
    if (found.reduced && this.dotsPerInch !== undefined) return { ...found, figures: stored, ssimulacra2 }
    const pageScores = placements.map((place) => ({ place, figures: scoresAtPlacement(place, comparedSizes, drawn) }))
    if (!pageScores.every(({ place, figures }) => place.page.keepsFloors(figures, floors))) return undefined
    return { ...found, figures: stored, pageScores: pageScores, ssimulacra2 }
  }

  /** True if a score of a picture is what the caller asked for. A picture that cannot be scored must stay lossless then. */
  private reachesScore(score: number | undefined): boolean {
    const { targetScore } = this.goal
    return targetScore === undefined || (score !== undefined && score >= targetScore)
  }

  /** Perceptual target of a level, or of the score that the caller asked for. */
  private wantedAt(quality: Quality): PicturePerceptualTarget {
    return targetOfGoal(this.goal, LEVELS.perceptual[quality])
  }

  private async measured({ stream, facts, mask }: Picture, found: Candidate, comparedSizes: readonly Size[]): Promise<PictureMeasurement> {
    const pair = {
      original: toRgbPicture(await openRows(this.reader, stream, facts), facts),
      result: toRgbPicture(await decodeResult(found), facts),
      mask: mask === 'read' && comparedSizes.length > 0 ? await openMask(this.reader, facts.dict) : undefined,
    }
    return measurePicture(pair, comparedSizes)
  }

  /** Recompresses a JPEG: downsampled to its drawn size, or requantised at its own size. */
  private async jpeg(picture: Picture, quality: Quality, budget: number): Promise<Candidate | undefined> {
    const { stream, facts } = picture
    const pageSizedCandidate = this.lossless ? undefined : await this.encodeForPageSize(picture, quality, maxLossyBytes(picture, budget))
    if (pageSizedCandidate && (!pageSizedCandidate.reduced || this.isFinal(facts, pageSizedCandidate))) return pageSizedCandidate
    const share = this.lossless || picture.mask !== 'read' ? 1 : await shownShare(this.reader, facts.dict)
    const target = this.lossless ? undefined : wholePictureTarget(TARGETS[quality], share)
    const goal = this.lossless ? undefined : this.perceptualGoal(picture, quality, share)
    const chroma = goal ? LEVELS.halvedChromaPsnrDb[quality] : CHROMA_PSNR_DB[quality]
    const aim = { target, sight: goal, chroma, hint: this.hints[quality], masked: picture.mask !== 'none' }
    const inPlace = await recodeJpeg(this.reader, stream, facts, aim)
    if (inPlace?.figures) this.hints[quality] = inPlace.quality
    const figures = inPlace?.figures && visiblePartScores(inPlace.figures, share)
    return smallestCandidate([pageSizedCandidate, inPlace && { ...inPlace, figures, reduced: false }])
  }

  /** Reference and target for the perceptual score of a picture that keeps its size. `undefined`: luma SSIM and PSNR decide. */
  private perceptualGoal({ stream, facts, mask }: Picture, quality: Quality, share: number): PerceptualGoal | undefined {
    const samples = facts.components
    if ((samples !== 1 && samples !== 3 && samples !== 4) || (mask === 'unread' && samples !== 4) || facts.length > MAX_BUFFERED_JPEG_BYTES)
      return undefined
    if (!this.scoreBudgets[quality].spend(facts)) return undefined
    const open = () => openRows(this.reader, stream, facts)
    const size = { width: facts.width, height: facts.height }
    const reference =
      mask === 'read' && samples !== 4
        ? reopeningMaskedReference(open, () => openMask(this.reader, facts.dict), size, samples)
        : reopeningReference(open, size, samples, isInverted(facts))
    return { reference, wanted: adjustTargetForMask(this.wantedAt(quality), share) }
  }

  /** Recompresses a JPEG that is finer than the resolution of the level: downsampled, or at full size with a lower quality. */
  private async encodeForPageSize(picture: Picture, quality: Quality, budget: number): Promise<Candidate | undefined> {
    const { stream, facts, drawn, mask } = picture
    const size = drawn && mask !== 'unread' && this.sizeAt(facts, drawn, this.dotsPerInch ?? TARGETS[quality].dotsPerInch)
    if (!size) return undefined
    const screen = screenSizeOf(size, drawn)
    if (screen.width * screen.height < LEAST_VIEW_PIXELS) return undefined
    if (!PAGE_RESOLUTION_LEVELS.has(quality) || facts.length > MAX_BUFFERED_JPEG_BYTES || size.width * size.height > MAX_PREVIEW_PIXELS)
      return this.downsample(picture, quality, budget)
    using preview = await this.preview(picture, size, screen)
    const request = this.request(picture, quality, size, budget)
    const stored = { ...size, channels: preview.channels, strips: [preview.pixels] }
    const downsampledScores = await similarity(stored, screenReference(preview))
    const found = isSimilarEnough(downsampledScores, request) ? await reencodePreview(preview, request) : undefined
    if (found) this.hints[quality] = found.quality
    const reduced = found && { ...found, reduced: true }
    if (this.dotsPerInch !== undefined || picture.mask !== 'none' || (reduced && downsampledScores.psnrDb >= MIN_DOWNSAMPLED_PSNR_DB))
      return reduced
    using job = await JpegJob.read(jpegDataChunks(this.reader, stream, facts)).catch(throwAsPdfSyntax)
    const { info } = job
    if (info.width !== facts.width || info.height !== facts.height || info.components !== facts.components) return reduced
    const hints = this.sizeHints.get(quality) ?? new QualityHints()
    this.sizeHints.set(quality, hints)
    const wanted = this.scoreBudgets[quality].spend(size) ? this.wantedAt(quality) : undefined
    const coded = await encodeAtFullSize({ job, preview, wanted }, TARGETS[quality], needsAdobeSegment(info.colour), hints)
    return smallestCandidate([reduced, coded && coded.data.length < budget ? { ...coded, reduced: false } : undefined])
  }

  /** Recompresses samples with generic filters: downsampled, or as a JPEG where that is smaller. */
  private async samples(picture: Picture, quality: Quality, budget: number): Promise<Candidate | undefined> {
    const { facts } = picture
    const reduced = await this.downsample(picture, quality, budget)
    if (picture.isMask || picture.isGraphic || (reduced && this.isFinal(facts, reduced))) return reduced
    const photo = await this.reencode(picture, quality, { width: facts.width, height: facts.height }, budget)
    return smallestCandidate([reduced, photo && !photo.deflated ? { ...photo, reduced: false } : undefined])
  }

  /** True if no candidate at full size is worth a try beside a reduced one. */
  private isFinal(facts: ImageFacts, reduced: Candidate): boolean {
    return this.dotsPerInch !== undefined || isMuchSmaller(facts, reduced)
  }

  private sizeAt(facts: ImageFacts, drawn: DrawnImage, dotsPerInch: number): Size | undefined {
    return downsampledSize(facts, drawn, dotsPerInch, this.dotsPerInch === undefined ? SMALLEST_REDUCTION : SMALLEST_REQUESTED_REDUCTION)
  }

  /** Downsamples a picture to the resolution of the level at its drawn size. */
  private async downsample(picture: Picture, quality: Quality, budget: number): Promise<Candidate | undefined> {
    const { facts, drawn, mask } = picture
    if (!drawn || mask === 'unread') return undefined
    const resolutions = this.dotsPerInch
      ? [this.dotsPerInch]
      : DOWNSAMPLE_RESOLUTION_FACTORS.map((factor) => TARGETS[quality].dotsPerInch * factor)
    for (const dotsPerInch of resolutions) {
      const size = this.sizeAt(facts, drawn, dotsPerInch)
      const large = facts.width * facts.height > LARGE_PIXELS
      const failures = this.downsampleFailures.get(dotsPerInch) ?? 0
      if (!size || (large && failures >= MAX_DOWNSAMPLE_FAILURES)) continue
      const found = await this.reencode(picture, quality, size, budget)
      // If a smaller candidate exists already, a failure may be due to size and not to quality, so it does not count.
      if (large && (found || !picture.hasCandidate)) this.downsampleFailures.set(dotsPerInch, found ? 0 : failures + 1)
      if (found) return { ...found, reduced: true }
    }
    return undefined
  }

  private async reencode(picture: Picture, quality: Quality, size: Size, budget: number): Promise<ReencodedPicture | undefined> {
    const { stream, facts, mask } = picture
    const request = this.request(picture, quality, size, budget)
    const keepsSize = size.width === facts.width && size.height === facts.height
    const fits = size.width * size.height <= MAX_PREVIEW_PIXELS
    if (mask === 'read' && !fits && !keepsSize) return undefined
    let found: ReencodedPicture | undefined
    if (mask === 'read' && fits) {
      using preview = await this.preview(picture, size, request.screen)
      found = await reencodeMasked(preview, request, keepsSize)
    } else found = await reencode(await openRows(this.reader, stream, facts), request)
    if (found && !found.deflated) this.hints[quality] = found.quality
    return found
  }

  /** Returns the picture at `size`. Colours hidden by the mask do not count. */
  private async preview(picture: Picture, size: Size, screen: Size): Promise<Preview> {
    const { stream, facts } = picture
    const rows = await openRows(this.reader, stream, facts)
    const mask = picture.mask === 'read' ? await openMask(this.reader, facts.dict) : undefined
    return mask ? takeMaskedPreview(rows, new MaskRows(mask, rows.width, rows.height), size, screen) : takePreview(rows, size, screen)
  }

  private request(picture: Picture, quality: Quality, size: Size, budget: number): EncodeRequest {
    const { stream, facts, isMask, isJpeg, drawn } = picture
    const target = TARGETS[quality]
    return {
      onPhotoDetection: (photographic) => {
        if (size.width * size.height >= MIN_PHOTO_PIXELS) picture.isGraphic ||= !photographic
      },
      size,
      screen: screenSizeOf(size, drawn),
      target,
      perceptualTarget: () => (this.scoreBudgets[quality].spend(size) ? this.wantedAt(quality) : undefined),
      isRequired: this.dotsPerInch !== undefined,
      openPicture: () => openRows(this.reader, stream, facts),
      jpeg: isMask ? 'never' : isJpeg || imageFilter(facts) === 'JPXDecode' ? 'any' : 'photographs',
      fullColour: quality === 'high',
      halvedChromaPsnrDb: LEVELS.halvedChromaPsnrDb[quality],
      hint: this.hints[quality],
      effort: this.effort,
      inverted: isInverted(facts),
      budget: Math.floor(budget),
    }
  }

  private addToReport(coded: Candidate): void {
    if (coded.reduced) this.report.reduced++
    else if (coded.packed && coded.figures) this.report.palettes++
    else if (coded.figures) this.report.recoded++
    else this.report.exact++
    if (!coded.figures) return
    this.report.worst = worseLoss(this.report.worst, lossWithScore(pixelLoss(coded.figures), coded.ssimulacra2))
    for (const { place, figures } of coded.pageScores ?? []) place.page.addLoss(figures, place.areaShare)
  }
}

/** Treats codec errors and damaged data as "no result", so the picture keeps its samples. */
function declined(error: unknown): undefined {
  if (isEngineError(error, 'jpeg') || error instanceof PdfSyntax) return undefined
  throw error
}

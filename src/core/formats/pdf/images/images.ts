/** Chooses for each image of a PDF how it is recompressed at the requested level. */

import { isEngineError } from '../../../../../wasm/engine-error.ts'
import { JpegJob } from '../../../../../wasm/jpeg/jpeg.ts'
import { releaseDeflate } from '../../../bytes/deflate.ts'
import { gentlerTargets } from '../../../catalog/level-order.ts'
import { LEVELS } from '../../../catalog/levels.ts'
import type { Quality } from '../../../model/codec.ts'
import { ofPixels, scored, worseLoss } from '../../../model/loss.ts'
import type { TimeBudget } from '../../../model/time-budget.ts'
import type { Filter } from '../filters.ts'
import { nameOf, PdfSyntax, type Stream } from '../objects.ts'
import type { Reader } from '../reader.ts'
import { Effort, type Rewritten } from '../recompress.ts'
import {
  CLEARLY_SMALLER,
  ENOUGH_PHOTO_PIXELS,
  FINER_REDUCTIONS,
  LADDER_BYTES,
  LEAST_VIEW_PIXELS,
  LOSSY_GAIN,
  MOST_REFUSALS,
  SECONDS_PER_MEGAPIXEL,
  SMALLEST_LOSSY_BYTES,
} from '../tuning.ts'
import type { Drawn } from '../usage.ts'
import { isBilevel, recodeBilevel } from './bilevel.ts'
import { type Candidate, isMuchSmaller, keeps, type Picture, smallest, worthwhile } from './candidate.ts'
import { codeForSize, SizeHints } from './downsample.ts'
import { type Exact, exactForms } from './exact.ts'
import { type ImageFacts, imageFacts, imageFilter } from './facts.ts'
import { figuresAt, gridsOf } from './grids.ts'
import { needsHeaders, recodeJpeg, STORED_BYTES } from './jpeg.ts'
import { AIMS_AT_PAGE, FLOORS, INK_FLOORS, SOFT_PSNR_DB, TARGETS } from './levels.ts'
import { MaskRows, openMask } from './mask.ts'
import { type Measured, measure } from './measure.ts'
import { nearPalette, PaletteBudget } from './near-palette.ts'
import { forAll, ofShown, shownShare } from './opacity.ts'
import { acceptable, type EncodeRequest, type Reencoded, reencode, reencodeMasked, reencodePreview } from './reencode.ts'
import { emptyReport } from './report.ts'
import { asShown, dictionaryOf, isInverted, resultOf } from './result.ts'
import { asSyntax, hasRows, jpegFlow, openRows } from './rows.ts'
import { Attention, reopened, reopenedBelow, type Sight, wantedOf } from './seen.ts'
import { screenFor, sizeFor } from './sizes.ts'
import { onScreen, type Preview, type Size, similarity, takeMaskedSight, takePreview } from './view.ts'

/** Minimum PSNR in dB for halving the chroma resolution of an existing JPEG. `undefined`: never halved. */
const CHROMA_PSNR_DB: Readonly<Record<Quality, number | undefined>> = { high: undefined, medium: 38, low: 34, ultra: 34 }

/** Number of pixels above which downsampling takes seconds and much memory. */
const LARGE_PIXELS = 2_000_000
/** Maximum pixels of a picture that is kept in memory for comparisons. */
const MAX_PREVIEW_PIXELS = 3_000_000

/** Settings of the image recompressor. `time`: CPU time for the pictures of the document; `undefined`: no limit. */
interface Aim {
  readonly quality: Quality
  readonly lossless: boolean
  readonly time: TimeBudget | undefined
  readonly signal: AbortSignal
}

/**
 * CPU seconds per picture, per megapixel and per megabyte. Measured on colour scans and on deflated noise of 64 × 64 to 1000 × 1000 pixels.
 */
const SECONDS = {
  jpeg: { ofPicture: 0.02, ofMegapixel: 0.22, ofMegabyte: 0 },
  samples: { ofPicture: 0.03, ofMegapixel: 0.22, ofMegabyte: 0.5 },
  exact: { ofPicture: 0.01, ofMegapixel: 0.06, ofMegabyte: 0 },
} as const

export class ImageRecompressor {
  readonly report = emptyReport()
  private readonly reader: Reader
  private readonly drawn: ReadonlyMap<number, Drawn>
  private readonly masks: ReadonlySet<number>
  private readonly quality: Quality
  private readonly lossless: boolean
  private readonly time: TimeBudget | undefined
  private readonly signal: AbortSignal
  private readonly palettes = new PaletteBudget()
  private readonly effort = new Effort()
  /** Pixel budget for perceptual scores, one for each level. The result of a level must not depend on levels tried before. */
  private readonly scoreBudgets = { high: new Attention(), medium: new Attention(), low: new Attention(), ultra: new Attention() }
  /** Last JPEG quality found for each level. The next search starts there, because pages of a scan resemble each other. */
  private readonly hints: Record<Quality, number> = { high: 85, medium: 70, low: 50, ultra: 50 }

  /** Last search results for pictures that are stored larger than they are drawn, for each level. */
  private readonly sizeHints = new Map<Quality, SizeHints>()
  /** Consecutive failures to downsample large pictures, by resolution in dpi. Scans of printed text always fail. */
  private readonly downsampleFailures = new Map<number, number>()

  /** `masks`: object numbers of images that are masks of other images. */
  constructor(reader: Reader, drawn: ReadonlyMap<number, Drawn>, masks: ReadonlySet<number>, { quality, lossless, time, signal }: Aim) {
    this.reader = reader
    this.drawn = drawn
    this.masks = masks
    this.quality = quality
    this.lossless = lossless
    this.time = time
    this.signal = signal
  }

  readonly transform = async (number: number, stream: Stream, chain: Filter[]): Promise<Rewritten | undefined> => {
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
    const exact = isJpeg ? undefined : await exactForms(this.reader, { stream, facts, chain, isMask }, this.effort)
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
      narrow: false,
      graphic: false,
    }
    // Samples that are too large for memory can still be decoded row by row.
    const budget = Math.min(facts.length, exact?.quickBytes ?? facts.length)
    const coded = await this.best(picture, budget).catch(declined)
    // Deflate at full effort takes seconds, so it runs only if it may produce the smallest result.
    const lossless = isJpeg || (coded && coded.data.length < CLEARLY_SMALLER * budget) ? undefined : await exact?.finish()
    const gain = coded?.figures ? LOSSY_GAIN : 1
    if (!coded || (lossless && coded.data.length > lossless.data.length * gain)) return lossless && exact && this.counted(lossless, exact)
    this.addToReport(coded)
    return { dict: dictionaryOf(facts, coded), data: coded.data }
  }

  private async finishLossless(exact: Exact): Promise<Rewritten | undefined> {
    const lossless = await exact.finish()
    return lossless && this.counted(lossless, exact)
  }

  private counted(lossless: Rewritten, { packed }: Exact): Rewritten {
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
    const { width, height, length } = picture.facts
    const { ofPicture, ofMegapixel, ofMegabyte } = SECONDS[this.lossless ? 'exact' : picture.isJpeg ? 'jpeg' : 'samples']
    const seconds = ofPicture + (width * height * ofMegapixel + length * ofMegabyte) / 1e6
    if (this.time?.take(seconds) === false) return undefined
    let best: Candidate | undefined
    for (const quality of this.lossless ? (['high'] as const) : [this.quality, ...gentlerTargets(this.quality)]) {
      const limit = Math.min(budget, best?.data.length ?? budget)
      picture.narrow = best !== undefined
      // Each level examines the picture at its own resolution, so photo detection starts again.
      picture.graphic = false
      const found = picture.isJpeg
        ? await this.jpeg(picture, quality, limit)
        : await this.samples(picture, quality, worthwhile(picture, limit))
      const accepted = found && found.data.length < limit ? await this.aboveFloors(picture, found) : undefined
      if (accepted) best = accepted
      if (best && !best.deflated && best.figures && picture.facts.length >= LADDER_BYTES[best.reduced ? 'reduced' : 'coarser']) break
    }
    return (await this.quantisedDrawing(picture, Math.min(budget, best?.data.length ?? budget))) ?? best
  }

  /** Quantises a drawing at full size to the palette that the level allows. The quantiser also tries gentler levels. */
  private async quantisedDrawing(picture: Picture, budget: number): Promise<Candidate | undefined> {
    const { stream, facts, isMask, mask, graphic } = picture
    const isSmall = facts.width * facts.height < ENOUGH_PHOTO_PIXELS
    if (isMask || mask !== 'none' || !(graphic || isSmall) || !this.palettes.spend(facts)) return undefined
    if (this.time?.take((facts.width * facts.height * SECONDS_PER_MEGAPIXEL) / 1e6) === false) return undefined
    const aim = { quality: this.quality, signal: this.signal, budget }
    const quantised = await nearPalette(facts, () => openRows(this.reader, stream, facts), aim)
    if (!quantised || quantised.data.length >= budget) return undefined
    const { width, height, components } = facts
    return this.aboveFloors(picture, { ...quantised, width, height, channels: components, quality: 0, reduced: false })
  }

  /** Measures a candidate at its stored size and at each placement on a page. `undefined`: it falls below a floor. */
  private async aboveFloors(picture: Picture, found: Candidate): Promise<Candidate | undefined> {
    if (!found.figures) return found
    const placements = picture.drawn?.places ?? []
    const comparedSizes = gridsOf(placements)
    const { stored, drawn, ssimulacra2 } = await this.measured(picture, found, comparedSizes)
    const floors = found.channels === 4 ? INK_FLOORS : FLOORS
    if (!keeps(stored, floors)) return undefined
    const pageScores = placements.map((place) => ({ place, figures: figuresAt(place, comparedSizes, drawn) }))
    if (!pageScores.every(({ place, figures }) => place.sheet.allows(figures, floors))) return undefined
    return { ...found, figures: stored, seen: pageScores, ssimulacra2 }
  }

  private async measured({ stream, facts, mask }: Picture, found: Candidate, comparedSizes: readonly Size[]): Promise<Measured> {
    const pair = {
      original: asShown(await openRows(this.reader, stream, facts), facts),
      result: asShown(await resultOf(found), facts),
      mask: mask === 'read' && comparedSizes.length > 0 ? await openMask(this.reader, facts.dict) : undefined,
    }
    return measure(pair, comparedSizes)
  }

  /** Recompresses a JPEG: downsampled to its drawn size, or requantised at its own size. */
  private async jpeg(picture: Picture, quality: Quality, budget: number): Promise<Candidate | undefined> {
    const { stream, facts } = picture
    const pageSizedCandidate = this.lossless ? undefined : await this.encodeForPageSize(picture, quality, worthwhile(picture, budget))
    if (pageSizedCandidate && (!pageSizedCandidate.reduced || isMuchSmaller(facts, pageSizedCandidate))) return pageSizedCandidate
    const share = this.lossless || picture.mask !== 'read' ? 1 : await this.shownShare(facts)
    const target = this.lossless ? undefined : forAll(TARGETS[quality], share)
    const goal = this.lossless ? undefined : this.perceptualGoal(picture, quality, share)
    const chroma = goal ? LEVELS.halvedChromaPsnrDb[quality] : CHROMA_PSNR_DB[quality]
    const aim = { target, sight: goal, chroma, hint: this.hints[quality], masked: picture.mask !== 'none' }
    const inPlace = await recodeJpeg(this.reader, stream, facts, aim)
    if (inPlace?.figures) this.hints[quality] = inPlace.quality
    const figures = inPlace?.figures && ofShown(inPlace.figures, share)
    return smallest([pageSizedCandidate, inPlace && { ...inPlace, figures, reduced: false }])
  }

  /** Reference and target for the perceptual score of a picture that keeps its size. `undefined`: luma SSIM and PSNR decide. */
  private perceptualGoal({ stream, facts, mask }: Picture, quality: Quality, share: number): Sight | undefined {
    const samples = facts.components
    if ((samples !== 1 && samples !== 3 && samples !== 4) || (mask === 'unread' && samples !== 4) || facts.length > STORED_BYTES)
      return undefined
    if (!this.scoreBudgets[quality].spend(facts)) return undefined
    const open = () => openRows(this.reader, stream, facts)
    const size = { width: facts.width, height: facts.height }
    const reference =
      mask === 'read' && samples !== 4
        ? reopenedBelow(open, () => openMask(this.reader, facts.dict), size, samples)
        : reopened(open, size, samples, isInverted(facts))
    return { reference, wanted: wantedOf(LEVELS.perceptual[quality], share) }
  }

  /** Mean opacity of a picture under its mask, 0 to 1. */
  private async shownShare({ dict }: ImageFacts): Promise<number> {
    const mask = await openMask(this.reader, dict)
    let [sum, count] = [0, 0]
    for await (const strip of mask?.strips ?? []) {
      sum += shownShare(strip, 1, 0) * strip.length
      count += strip.length
    }
    return sum > 0 ? sum / count : 1
  }

  /** Recompresses a JPEG that is finer than the resolution of the level: downsampled, or at full size with a lower quality. */
  private async encodeForPageSize(picture: Picture, quality: Quality, budget: number): Promise<Candidate | undefined> {
    const { stream, facts, drawn, mask } = picture
    const size = drawn && mask !== 'unread' && sizeFor(facts, drawn, TARGETS[quality].dotsPerInch)
    if (!size) return undefined
    const screen = screenFor(size, drawn)
    if (screen.width * screen.height < LEAST_VIEW_PIXELS) return undefined
    if (!AIMS_AT_PAGE.has(quality) || facts.length > STORED_BYTES || size.width * size.height > MAX_PREVIEW_PIXELS)
      return this.downsample(picture, quality, budget)
    using preview = await this.preview(picture, size, screen)
    const request = this.request(picture, quality, size, budget)
    const stored = { ...size, channels: preview.channels, strips: [preview.pixels] }
    const downsampledScores = await similarity(stored, onScreen(preview))
    const found = acceptable(downsampledScores, request) ? await reencodePreview(preview, request) : undefined
    if (found) this.hints[quality] = found.quality
    const reduced = found && { ...found, reduced: true }
    if (picture.mask !== 'none' || (reduced && downsampledScores.psnrDb >= SOFT_PSNR_DB)) return reduced
    using job = await JpegJob.read(jpegFlow(this.reader, stream, facts)).catch(asSyntax)
    const { info } = job
    if (info.width !== facts.width || info.height !== facts.height || info.components !== facts.components) return reduced
    const hints = this.sizeHints.get(quality) ?? new SizeHints()
    this.sizeHints.set(quality, hints)
    const wanted = this.scoreBudgets[quality].spend(size) ? LEVELS.perceptual[quality] : undefined
    const coded = await codeForSize({ job, preview, wanted }, TARGETS[quality], needsHeaders(info.colour), hints)
    return smallest([reduced, coded && coded.data.length < budget ? { ...coded, reduced: false } : undefined])
  }

  /** Recompresses samples with generic filters: downsampled, or as a JPEG where that is smaller. */
  private async samples(picture: Picture, quality: Quality, budget: number): Promise<Candidate | undefined> {
    const { facts } = picture
    const reduced = await this.downsample(picture, quality, budget)
    if (picture.isMask || picture.graphic || (reduced && isMuchSmaller(facts, reduced))) return reduced
    const photo = await this.reencode(picture, quality, { width: facts.width, height: facts.height }, budget)
    return smallest([reduced, photo && !photo.deflated ? { ...photo, reduced: false } : undefined])
  }

  /** Downsamples a picture to the resolution of the level at its drawn size. */
  private async downsample(picture: Picture, quality: Quality, budget: number): Promise<Candidate | undefined> {
    const { facts, drawn, mask } = picture
    if (!drawn || mask === 'unread') return undefined
    for (const factor of FINER_REDUCTIONS) {
      const dotsPerInch = TARGETS[quality].dotsPerInch * factor
      const size = sizeFor(facts, drawn, dotsPerInch)
      const large = facts.width * facts.height > LARGE_PIXELS
      const failures = this.downsampleFailures.get(dotsPerInch) ?? 0
      if (!size || (large && failures >= MOST_REFUSALS)) continue
      const found = await this.reencode(picture, quality, size, budget)
      // If a smaller candidate exists already, a failure may be due to size and not to quality, so it does not count.
      if (large && (found || !picture.narrow)) this.downsampleFailures.set(dotsPerInch, found ? 0 : failures + 1)
      if (found) return { ...found, reduced: true }
    }
    return undefined
  }

  private async reencode(picture: Picture, quality: Quality, size: Size, budget: number): Promise<Reencoded | undefined> {
    const { stream, facts, mask } = picture
    const request = this.request(picture, quality, size, budget)
    const keepsSize = size.width === facts.width && size.height === facts.height
    const fits = size.width * size.height <= MAX_PREVIEW_PIXELS
    if (mask === 'read' && !fits && !keepsSize) return undefined
    let found: Reencoded | undefined
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
    return mask ? takeMaskedSight(rows, new MaskRows(mask, rows.width, rows.height), size, screen) : takePreview(rows, size, screen)
  }

  private request(picture: Picture, quality: Quality, size: Size, budget: number): EncodeRequest {
    const { stream, facts, isMask, isJpeg, drawn } = picture
    const target = TARGETS[quality]
    return {
      onTones: (photographic) => {
        if (size.width * size.height >= ENOUGH_PHOTO_PIXELS) picture.graphic ||= !photographic
      },
      size,
      screen: screenFor(size, drawn),
      target,
      wanted: () => (this.scoreBudgets[quality].spend(size) ? LEVELS.perceptual[quality] : undefined),
      open: () => openRows(this.reader, stream, facts),
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
    this.report.worst = worseLoss(this.report.worst, scored(ofPixels(coded.figures), coded.ssimulacra2))
    for (const { place, figures } of coded.seen ?? []) place.sheet.lose(figures, place.share)
  }
}

/** Treats codec errors and damaged data as "no result", so the picture keeps its samples. */
function declined(error: unknown): undefined {
  if (isEngineError(error, 'jpeg') || error instanceof PdfSyntax) return undefined
  throw error
}

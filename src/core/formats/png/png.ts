/**
 * PNG and APNG codec: lossless at `high`. At `medium` and `low` a palette or near-lossless samples, if the level's target is reached and
 * the file is smaller.
 */

import { Disposables } from '../../../../wasm/memories/disposables.ts'
import { PngEngine, readPngInfo } from '../../../../wasm/png/png.ts'
import { yieldToEventLoop } from '../../bytes/yield.ts'
import { PNG } from '../../catalog/formats/png.ts'
import { isLosslessGoal } from '../../catalog/score-goal.ts'
import { type ConvertiblePicture, convertPicture } from '../../images/convert/convert.ts'
import type { RenditionSource } from '../../images/convert/rendition.ts'
import { verifyPicture } from '../../images/convert/verify-picture.ts'
import { withRenditions } from '../../images/convert/with-renditions.ts'
import { analyse, hasLowDepthGreyKey, type LosslessSearch, losslessBytes, searchLossless } from '../../images/png/lossless-search.ts'
import { type PalettePlan, PaletteTrials, paletteBytes, searchPalette } from '../../images/png/palette-search.ts'
import { shownOrientationOf } from '../../images/raster/orientation.ts'
import { sizeWithin } from '../../images/raster/resize.ts'
import { optionsForStored, reducedSize } from '../../images/search/fit-to-size.ts'
import { type RasterTarget, TARGETS_BY_QUALITY } from '../../images/search/targets.ts'
import { gentlestThatFits } from '../../metrics/search.ts'
import type { MetadataCodec, Options, Outcome, Sink, Source, Verdict } from '../../model/codec.ts'
import { unsupported } from '../../model/error.ts'
import { compressKeepingTrailingData } from '../../model/trailing-data.ts'
import { animatedPngSeconds, checkWork } from '../../model/work-estimate.ts'
import { ancillaryBytes } from './chunks.ts'
import { pngForConversion } from './convert.ts'
import { searchExact, writeExact } from './exact.ts'
import { losslessReason } from './exactness.ts'
import { hasUnusualGamma, openPngFile, type PngFile } from './file.ts'
import { chooseLossy, writeLossy } from './palette.ts'
import { chunkOf } from './signalling.ts'
import { verifyPng } from './verify.ts'
import { withoutPngMetadata } from './without-metadata.ts'

export const png: MetadataCodec = withRenditions(
  {
    withoutMetadata: withoutPngMetadata,
    format: PNG,

    async compress(source, sink, options) {
      const picture = await convertibleIfRequested(source, options)
      if (picture) return await convertPicture(picture, source, sink, options)
      return await compressPng(source, sink, options)
    },

    async verify(original, result, outcome, options, evidence): Promise<Verdict> {
      const picture = await convertibleIfRequested(original, options, false)
      if (picture) return await verifyPicture(picture, { original, result, outcome, evidence }, options)
      return await verifyPng(original, result, outcome, options)
    },
  },
  pngForRendition,
)

async function pngForRendition(source: Source, options: Options): Promise<RenditionSource> {
  const picture = await pngForConversion(source, options)
  return { picture, stored: picture.raster }
}

/** Picture to convert, if another format or a smaller size is requested; otherwise `undefined`. */
async function convertibleIfRequested(source: Source, options: Options, examinesData = true): Promise<ConvertiblePicture | undefined> {
  if (options.output !== 'png') return pngForConversion(source, options, examinesData)
  const { fitWithin } = options
  if (!fitWithin || options.lossless) return undefined
  if (fitWithin.isRequired) return await reducedAsRequired(source, options)
  const { header, animated } = await readPngInfo(source.stream())
  if (animated || !sizeWithin(header.width, header.height, fitWithin)) return undefined
  // Do not downsample labels, measurements or HDR: mixed samples have no meaning, and HDR would be cut to 8 bits.
  return (await losslessReason(await openPngFile(source, options))) ? undefined : pngForConversion(source, options)
}

/**
 * Picture that must be reduced. `undefined`: it already fits. What stays lossless otherwise gets no further loss, with all its bits.
 * @throws CodecError if it is animated
 */
async function reducedAsRequired(source: Source, options: Options): Promise<ConvertiblePicture | undefined> {
  const file = await openPngFile(source, options)
  const orientation = shownOrientationOf(chunkOf(file, 'eXIf')?.data)
  if (!reducedSize(file.header, optionsForStored(options, orientation))) return undefined
  if (file.animated) throw unsupported('animation_is_not_reduced')
  const isExact = (await losslessReason(file)) !== undefined
  const picture = await pngForConversion(source, options)
  const keepsBits = picture.raster16 !== undefined && (isExact || isLosslessGoal(options))
  return { ...picture, isExact, keepsBits }
}

async function compressPng(source: Source, sink: Sink, options: Options): Promise<Outcome> {
  const file = await openPngFile(source, options)
  options.progress(0.05)
  return await compressKeepingTrailingData(source, file.end, sink, options, (body, asked) => compressFile(file, body, sink, asked))
}

async function compressFile(opened: PngFile, source: Source, sink: Sink, options: Options): Promise<Outcome> {
  if (opened.frames > 1) checkWork(animatedPngSeconds(opened.work), options)
  using engines = new Disposables()
  const exact = await losslessReason(opened)
  const file = exact?.keepsForm ? { ...opened, keepsForm: true } : opened
  const engine = engines.use(new PngEngine(file.header))
  const lossy = !exact && mayUsePalette(engine, file, options)
  const facts = await analyse(engine, file, lossy)
  options.progress(0.1)
  if (lossy && facts.colours !== 1 && !hasLowDepthGreyKey(file, facts)) {
    if (options.targetSize !== undefined) {
      const chosen = await chooseBySize(engine, file, !facts.opaque, source, options)
      return 'palette' in chosen
        ? (await writeLossy({ file, engine, options }, chosen.palette, sink)).outcome
        : await writeExact(file, engine, chosen.exact, sink, options)
    }
    const chosen = await chooseLossy({ engine, engines, file, facts, options, limit: source.size })
    if (chosen) return await chosen.write(sink)
  }
  const outcome = await writeExact(file, engine, await searchExact(file, engine, options), sink, options)
  return exact && outcome.kind === 'compressed' ? { ...outcome, steps: [exact.step, ...outcome.steps] } : outcome
}

/**
 * True if lossy forms are allowed. Not for animations, whose frames build on each other so that errors would add up, nor for grey pictures
 * with a profile.
 */
function mayUsePalette(engine: PngEngine, file: PngFile, options: Options): boolean {
  const exactOnly = isLosslessGoal(options)
  const profiledGray = file.profiled && !(file.header.colourType & 2)
  return !exactOnly && !file.animated && !profiledGray && !hasUnusualGamma(file) && engine.inOrder
}

/** Returns the highest-quality form whose result fits the target size. */
async function chooseBySize(
  engine: PngEngine,
  file: PngFile,
  alpha: boolean,
  source: Source,
  options: Options,
): Promise<{ exact: LosslessSearch } | { palette: PalettePlan }> {
  const lossless = await searchLossless(engine, file, options)
  const containerBytes = ancillaryBytes(file) + 64
  const targetSize = Math.min(options.targetSize ?? source.size, source.size)
  const exact = (await losslessBytes(engine, file, lossless)) + containerBytes
  if (exact < targetSize) return { exact: lossless }
  const trials = new PaletteTrials(engine)
  const attempt = async (target: RasterTarget) => {
    const palette = await searchPalette(trials, file, target, alpha, () => yieldToEventLoop(options.signal))
    options.signal.throwIfAborted()
    return palette && { palette, bytes: (await paletteBytes(engine, file, palette, alpha)) + containerBytes }
  }
  return await gentlestThatFits(TARGETS_BY_QUALITY, targetSize, attempt, exact)
}

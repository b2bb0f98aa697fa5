/** Searches for the settings of an AVIF grid that reach a perceptual score. */
import { discard } from '../../../../wasm/memories/discard.ts'
import { yieldToEventLoop } from '../../bytes/yield.ts'
import { LEVELS, type PicturePerceptualTarget } from '../../catalog/levels.ts'
import { aimOf, scoreTarget } from '../../catalog/score-goal.ts'
import { unsupported } from '../../model/error.ts'
import { isMeasuredInBands, isUnacceptable } from '../search/perceptual-search.ts'
import { gridFile, type TileGrid } from './file.ts'
import { encodeAll, type GridFound, type GridJob } from './grid-encode.ts'
import { type Chroma, discardPixels, type RgbaPixels } from './libaom.ts'
import { lowestAvifQuality, smallestSettings } from './perceptual-search.ts'
import { probeSample } from './sample.ts'
import type { AvifProbe, AvifSettings } from './scale.ts'
import { FEW_PROBES_PIXELS, MOST_TILES_WITHOUT_SAMPLE, PROBE_SPEED, SAMPLE_PROBES, WHOLE_PROBES } from './tuning.ts'

/** Chroma format of the tiles. Decoders reject halved chroma if the grid has an odd width or height (ISO/IEC 23000-22, 7.3.11.4.2). */
export const chromaOf = ({ width, height, chroma }: Pick<TileGrid, 'width' | 'height' | 'chroma'>): Chroma =>
  chroma ?? (width % 2 === 0 && height % 2 === 0 ? 'halved' : 'full')

/**
 * Encodes the grid to a perceptual score. The settings come from a sample of tiles; the whole picture is encoded again if the sample's
 * score was far off.
 */
export async function gridToScore(job: GridJob, sample: readonly RgbaPixels[]): Promise<GridFound> {
  const { codec, grid, carried, speed, request } = job
  const { signal } = request.options
  const aim = aimOf(request.options)
  const target = aim === undefined ? LEVELS.perceptual[request.options.quality] : scoreTarget(aim)
  if (grid.columns * grid.rows <= MOST_TILES_WITHOUT_SAMPLE) {
    sample.forEach(discardPixels)
    return await smallGridToScore(job, target)
  }
  const probeTiles = (at: number) => async (settings: AvifSettings) => {
    await yieldToEventLoop(signal)
    return probeSample(codec, sample, settings, at)
  }
  const first = target.usualQuality.avif
  const settings =
    chromaOf(grid) === 'halved'
      ? await smallestSettings({ final: probeTiles(speed), fast: probeTiles(PROBE_SPEED) }, target, first, SAMPLE_PROBES)
      : await lowestAvifQuality(probeTiles(speed), target, { quality: first, chroma: chromaOf(grid) }, { limit: SAMPLE_PROBES })
  sample.forEach(discardPixels)
  let file: Uint8Array | undefined
  const probeWhole = async (tried: AvifSettings): Promise<AvifProbe> => {
    if (file) discard(file)
    const { tiles, alphas, figures, visible } = await encodeAll(job, tried, true)
    file = gridFile(grid, tiles, alphas, carried)
    return { bytes: file.length, figures, perceptual: visible! }
  }
  const isHuge = isMeasuredInBands(grid)
  const limit = grid.width * grid.height < FEW_PROBES_PIXELS ? WHOLE_PROBES.usual : WHOLE_PROBES.few
  let found = await lowestAvifQuality(probeWhole, target, settings, { limit: isHuge ? 'two' : limit })
  if (!found.reached && !grid.chroma && found.chroma !== 'full' && !isHuge)
    found = await lowestAvifQuality(probeWhole, target, { quality: found.quality, chroma: 'full' }, { limit })
  if (isUnacceptable(found)) throw unsupported('colours_avif_does_not_keep')
  return { ...found, file: file! }
}

/** Encodes a grid of few tiles. A sample of them would take as long as all, so fast probes of all tiles predict the settings. */
async function smallGridToScore(job: GridJob, target: PicturePerceptualTarget): Promise<GridFound> {
  const { grid, carried, speed } = job
  // The search may return any of its probes, and their files are small beside the picture.
  const files = new Map<string, Uint8Array>()
  const nameOf = ({ quality, chroma }: AvifSettings) => `${chroma} ${quality}`
  const probeAt =
    (at: number) =>
    async (settings: AvifSettings): Promise<AvifProbe> => {
      const { tiles, alphas, figures, visible } = await encodeAll({ ...job, speed: at }, settings, true)
      const file = gridFile(grid, tiles, alphas, carried)
      if (at === speed) files.set(nameOf(settings), file)
      return { bytes: file.length, figures, perceptual: visible! }
    }
  const first = target.usualQuality.avif
  const found =
    chromaOf(grid) === 'halved'
      ? await smallestSettings({ final: probeAt(speed), fast: probeAt(PROBE_SPEED) }, target, first, SAMPLE_PROBES)
      : await lowestAvifQuality(probeAt(speed), target, { quality: first, chroma: chromaOf(grid) }, { limit: SAMPLE_PROBES })
  if (isUnacceptable(found)) throw unsupported('colours_avif_does_not_keep')
  return { ...found, file: files.get(nameOf(found))! }
}

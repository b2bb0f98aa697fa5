/**
 * Encodes rows as the smallest PNG: lossless, or with a palette or near-lossless samples if the target allows it and the file is smaller.
 */

import { chunk, colourChunks, startOfPng } from '../../../../wasm/png/chunks.ts'
import type { Layout } from '../../../../wasm/png/engine.ts'
import { type AncillaryChunk, BEFORE_PALETTE, type ColourType, PngEngine } from '../../../../wasm/png/png.ts'
import { yieldToEventLoop } from '../../bytes/yield.ts'
import { isLosslessGoal, type QualityGoal } from '../../catalog/score-goal.ts'
import { mostExactBytes, targetForSize } from '../../catalog/small-pictures.ts'
import { type Message, message } from '../../i18n/message.ts'
import type { Options } from '../../model/codec.ts'
import { noGain, TargetUnreachable } from '../../model/error.ts'
import { type PictureLoss, pixelLoss } from '../../model/loss.ts'
import type { Raster } from '../raster/raster.ts'
import { paletteTargetsOf, type RasterTarget, TARGETS_BY_QUALITY } from '../search/targets.ts'
import { analyse, type LosslessPlan, losslessBytes, searchLossless } from './lossless-search.ts'
import { applyPlan, enginePassOf, type LossyPlan, planBytes, planReachingTarget } from './lossy-plan.ts'
import { mayBeNearLossless, NearLosslessTrials, nearLosslessTarget } from './near-lossless.ts'
import { collectColours, PaletteTrials, planPalette } from './palette-search.ts'
import type { PngPicture } from './png-picture.ts'

const COLOUR_TYPE: Record<Raster['channels'], ColourType> = { 1: 0, 2: 4, 3: 2, 4: 6 }

/** Wraps a raster as a picture that the PNG engine can read several times. */
function asPngPicture(raster: Raster, profiled: boolean): PngPicture {
  const { width, height, channels } = raster
  return {
    header: { width, height, colourType: COLOUR_TYPE[channels], bitDepth: 8 },
    frames: 1,
    profiled,
    async visit(visitor) {
      await visitor.frame()
      for await (const strip of raster.rows()) {
        for (let at = 0; at < strip.length; at += width * channels) await visitor.takeRow(strip.subarray(at, at + width * channels))
      }
      await visitor.frameEnd()
    },
  }
}

export interface SmallestPng {
  readonly pieces: readonly Uint8Array[]
  readonly step: Message
  /** Quality figures of the result. `undefined`: the samples are unchanged. */
  readonly loss?: PictureLoss
}

type SearchOptions = Pick<Options, keyof QualityGoal | 'targetSize' | 'lossless' | 'signal'>

/**
 * Encodes in memory. @throws CodecError `no_gain` if the file would reach `limit` bytes @throws TargetUnreachable if a target size cannot
 * be met
 */
export async function encodeSmallestPng(
  raster: Raster,
  chunks: readonly AncillaryChunk[],
  limit: number,
  options: SearchOptions,
): Promise<SmallestPng> {
  const isProfiled = chunks.some(({ type }) => type === 'iCCP')
  const picture = asPngPicture(raster, isProfiled)
  using engine = new PngEngine(picture.header)
  await analyse(engine, picture)
  const lossless = await searchLossless(engine, picture, options)
  const alpha = !lossless.facts.opaque
  const containerBytes = 8 + 25 + 12 + chunks.reduce((sum, { data }) => sum + data.length + 12, 0)
  const exactBytes = await losslessBytes(engine, picture, lossless)
  const plan = await chooseLossy()
  if (plan) applyPlan(engine, plan, picture)
  else applyLossless(engine, lossless.plan)
  const layout = engine.layout()
  const pieces = piecesBeforeData(raster, chunks, layout)
  engine.begin(plan ? enginePassOf(plan) : 'encode', { alpha })
  await picture.visit(engine)
  for (const piece of engine.drain()) pieces.push(chunk('IDAT', piece))
  pieces.push(chunk('IEND'))
  if (pieces.reduce((sum, piece) => sum + piece.length, 0) >= limit) throw noGain()
  if (!plan) return { pieces, step: message('exact_png') }
  return { pieces, loss: pixelLoss(engine.quality()), step: message('png_with', { what: describeLossy(engine, layout) }) }

  async function chooseLossy(): Promise<LossyPlan | undefined> {
    const targetSize = options.targetSize
    const fits = targetSize !== undefined && exactBytes + containerBytes < targetSize
    if (isLosslessGoal(options) || fits || lossless.facts.colours <= 1 || (picture.profiled && !(picture.header.colourType & 2)))
      return undefined
    await collectColours(engine, picture)
    const trials = new PaletteTrials(engine)
    const pause = () => yieldToEventLoop(options.signal)
    const targets = targetSize === undefined ? paletteTargetsOf(options) : TARGETS_BY_QUALITY
    let best: { plan: LossyPlan | undefined; bytes: number } = { plan: undefined, bytes: exactBytes }
    const near = new NearLosslessTrials(engine, picture)
    const nearPlan = async (target: RasterTarget) =>
      mayBeNearLossless(engine, lossless.facts, best.bytes) ? await near.plan(target, best.bytes, pause) : undefined
    for (const level of new Set(targets)) {
      const target = targetSize === undefined ? targetForSize(level, raster) : level
      const nearTarget = nearLosslessTarget(target)
      for (const [plan, aim] of [
        [await planPalette(trials, picture, target, pause), target],
        [await nearPlan(nearTarget), nearTarget],
      ] as const) {
        const found = plan && plan.estimate < best.bytes ? await planReachingTarget(engine, picture, plan, aim, alpha) : undefined
        options.signal.throwIfAborted()
        if (!found) continue
        const bytes = await planBytes(engine, picture, found, alpha)
        if (bytes < best.bytes) best = { plan: found, bytes }
      }
      if (targetSize !== undefined && best.bytes + containerBytes < targetSize) break
    }
    if (targetSize !== undefined && best.bytes + containerBytes >= targetSize) throw new TargetUnreachable(best.bytes + containerBytes)
    return exactBytes + containerBytes <= mostExactBytes(best.bytes + containerBytes, raster) ? undefined : best.plan
  }
}

function applyLossless(engine: PngEngine, plan: LosslessPlan): void {
  plan.apply(engine)
  engine.setEffort(plan.effort)
}

/** Signature, header and chunks before the image data, in the order that W3C PNG 5.6 requires. */
function piecesBeforeData({ width, height }: Raster, chunks: readonly AncillaryChunk[], layout: Layout): Uint8Array[] {
  const written = (isBefore: boolean) =>
    chunks.filter(({ type }) => BEFORE_PALETTE.has(type) === isBefore).map(({ type, data }) => chunk(type, data))
  return [startOfPng(width, height, layout, false), ...written(true), ...colourChunks(layout), ...written(false)]
}

/** Describes the palette or the largest error of a sample, for the receipt. */
const describeLossy = (engine: PngEngine, { palette }: Layout) =>
  palette ? message('palette_of_colours', { colours: palette.length / 3 }) : message('samples_off', { off: engine.largestSampleError() })

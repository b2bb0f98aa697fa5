/** Compresses a file to a score (`target_score`): the smallest result whose still pictures reach it, or a lossless one. */
import { holdsFile } from '../catalog/outputs.ts'
import { levelOfScore } from '../catalog/score-goal.ts'
import type { Codec, Options, Reason, Source } from '../model/codec.ts'
import type { ResultSink } from '../model/sink.ts'
import { type CompressionResult, compress, compressAtLevel } from './compress.ts'

/** Most lossy attempts. Each aims higher by the points that the one before missed. */
const MOST_ATTEMPTS = 3
/** Points that an attempt aims higher than the measured shortfall. */
const SPARE_POINTS = 0.4

/** Compresses a file at its level, or to its score. See `compress`. */
export const compressToGoal: typeof compress = (codec, source, openSink, { targetScore, ...options }) =>
  targetScore === undefined
    ? compress(codec, source, openSink, options)
    : compressToScore(codec, source, openSink, { ...options, targetScore })

/**
 * Returns the result whose measured score reaches `options.targetScore`. Encoders measure samples or their own planes, so a result can miss the
 * score; then the search aims higher. A lossless result has reached every score.
 */
async function compressToScore(
  codec: Codec,
  source: Source,
  openSink: () => Promise<ResultSink>,
  options: Options & { readonly targetScore: number },
): Promise<CompressionResult> {
  const { targetScore } = options
  let extraPoints = 0
  let missed: Unchanged | undefined
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    const quality = levelOfScore(targetScore + extraPoints)
    const pressed = await compressAtLevel(codec, source, openSink, { ...options, quality, extraPoints })
    if (pressed.result !== undefined) return { ...pressed, outcome: { ...pressed.outcome, targetScore } }
    missed = pressed
    if (pressed.missedPoints === undefined || !Number.isFinite(pressed.missedPoints)) break
    extraPoints += pressed.missedPoints + SPARE_POINTS
  }
  if (!missed) throw new Error('a search for a score makes at least one attempt')
  const isLossless = options.lossless || holdsFile(codec.format.id, options.output)
  if (isLossless || options.fitWithin?.isRequired || !mayLosslessHelp(missed.outcome.reason)) return missed
  const exact = await compressAtLevel(codec, source, openSink, { ...options, lossless: true })
  return exact.result === undefined ? missed : { ...exact, outcome: { ...exact.outcome, targetScore } }
}

type Unchanged = Extract<CompressionResult, { readonly result: undefined }>

const mayLosslessHelp = (reason: Reason) => reason === 'no_gain' || reason === 'below_floor'

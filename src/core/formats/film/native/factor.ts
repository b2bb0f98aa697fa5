/** Which rate factor a part needs, by trials whose figures are measured. */
import type { Level } from '../levels.ts'
import type { EncodedPart, PartQuality } from '../part-encoder.ts'
import { shortOf } from '../quality-deficit.ts'
import { MIN_CRF, MOST_CRF_STEP, MOST_TRIALS, NEAR_CRF } from '../tuning.ts'

interface Tried {
  readonly encoded: Pick<EncodedPart, 'quality'>
}

/**
 * The highest factor, up to `most`, at which a sample is as good as the level asks.
 * @returns one that was tried, or the next below where none was good enough
 */
export async function factorOfSample(trial: (crf: number) => Promise<Tried>, level: Level, most: number): Promise<number> {
  let good: { crf: number; short: number } | undefined
  let bad: { crf: number; short: number } | undefined
  let crf = most
  for (let i = 0; i < MOST_TRIALS; i++) {
    const short = shortOf((await trial(crf)).encoded.quality, level)
    if (short <= 0) good = { crf, short }
    else bad = { crf, short }
    if (!bad || crf <= MIN_CRF || (good && bad.crf - good.crf <= NEAR_CRF)) break
    crf = good ? between(good, bad) : lower(bad)
  }
  return good?.crf ?? (bad ? lower(bad) : most)
}

/** Encodes with lower factors until the part is good enough, or no factor is gentler. */
export async function firstGoodEnough<Trial extends { readonly encoded: { readonly quality: PartQuality } }>(
  trial: (crf: number) => Promise<Trial>,
  level: Level,
  from: number,
): Promise<Trial> {
  for (let crf = from; ; ) {
    const tried = await trial(crf)
    const short = shortOf(tried.encoded.quality, level)
    if (short <= 0 || crf <= MIN_CRF) return tried
    crf = lower({ crf, short })
  }
}

/** By as much as is missing, in halves. */
const lower = ({ crf, short }: { readonly crf: number; readonly short: number }) =>
  Math.max(MIN_CRF, crf - Math.min(MOST_CRF_STEP, Math.ceil(short * 2) / 2))

/** Where a line through both meets the level, a little on the good side. */
function between(good: { readonly crf: number; readonly short: number }, bad: { readonly crf: number; readonly short: number }): number {
  const share = -good.short / (bad.short - good.short)
  const wanted = Math.floor((good.crf + (bad.crf - good.crf) * share) * 2) / 2
  return Math.max(good.crf + 0.5, Math.min(bad.crf - 0.5, wanted))
}

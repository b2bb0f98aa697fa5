/** Finds the rate factor for a part by trial encodings whose quality is measured. */
import type { Level } from '../levels.ts'
import type { EncodedPart, PartQuality } from '../part-encoder.ts'
import { qualityDeficit } from '../quality-deficit.ts'
import { CRF_PRECISION, MIN_CRF, MOST_CRF_STEP, MOST_TRIALS } from '../tuning.ts'

interface Tried {
  readonly encoded: Pick<EncodedPart, 'quality'>
}

/**
 * Searches the highest rate factor, up to `most`, at which a sample reaches the level's quality.
 * @returns a factor that was tried, or one step below the last if none was good enough
 */
export async function searchRateFactor(trial: (crf: number) => Promise<Tried>, level: Level, most: number): Promise<number> {
  let good: { crf: number; short: number } | undefined
  let bad: { crf: number; short: number } | undefined
  let crf = most
  for (let i = 0; i < MOST_TRIALS; i++) {
    const short = qualityDeficit((await trial(crf)).encoded.quality, level)
    if (short <= 0) good = { crf, short }
    else bad = { crf, short }
    if (!bad || crf <= MIN_CRF || (good && bad.crf - good.crf <= CRF_PRECISION)) break
    crf = good ? between(good, bad) : lower(bad)
  }
  return good?.crf ?? (bad ? lower(bad) : most)
}

/** Encodes with lower and lower rate factors until the part is good enough or the factor is `MIN_CRF`. */
export async function encodeUntilGoodEnough<Trial extends { readonly encoded: { readonly quality: PartQuality } }>(
  trial: (crf: number) => Promise<Trial>,
  level: Level,
  from: number,
): Promise<Trial> {
  for (let crf = from; ; ) {
    const tried = await trial(crf)
    const short = qualityDeficit(tried.encoded.quality, level)
    if (short <= 0 || crf <= MIN_CRF) return tried
    crf = lower({ crf, short })
  }
}

/** Lowers the rate factor by the quality deficit, rounded up to half steps, at most `MOST_CRF_STEP`. */
const lower = ({ crf, short }: { readonly crf: number; readonly short: number }) =>
  Math.max(MIN_CRF, crf - Math.min(MOST_CRF_STEP, Math.ceil(short * 2) / 2))

/** Interpolates the rate factor at which the quality just reaches the level, rounded down to half steps. */
function between(good: { readonly crf: number; readonly short: number }, bad: { readonly crf: number; readonly short: number }): number {
  const share = -good.short / (bad.short - good.short)
  const wanted = Math.floor((good.crf + (bad.crf - good.crf) * share) * 2) / 2
  return Math.max(good.crf + 0.5, Math.min(bad.crf - 0.5, wanted))
}

/** Runs all parts of a film in one message, and decides when to stop encoding the pictures. */
import type { Options, Sink } from '../../model/codec.ts'
import type { FinishedPart, PartPlan, PartReceipt, PartTotals } from '../../model/segmented.ts'
import { memorySink } from '../../model/sink.ts'
import { EARLY_STOP, MAX_TRACK_SHARE } from './tuning.ts'

/** True if the new pictures have grown so much that the film's pictures, `pictureBytes` in all, will not become smaller. */
export const isNotShrinking = ({ bytes, replaces }: PartTotals, pictureBytes: number): boolean =>
  replaces > EARLY_STOP.share * pictureBytes && bytes > EARLY_STOP.growth * replaces

export const isPicturePart = ({ facts }: PartPlan): boolean => facts['kind'] === 'pictures'

export interface PartRunner {
  run(plan: PartPlan, sink: Sink, options: Options): Promise<PartReceipt>
  /** True if pictures are given up once they do not become smaller. */
  readonly mustShrink: boolean
}

export async function runInSequence(plans: readonly PartPlan[], runner: PartRunner, options: Options): Promise<FinishedPart[]> {
  const parts: FinishedPart[] = []
  let [old, fresh, done, pays] = [0, 0, 0, true]
  for (const plan of plans) {
    if (isPicturePart(plan) && !pays) continue
    const into = memorySink(Number.POSITIVE_INFINITY, 'part')
    const inner = { ...options, progress: (share: number) => options.progress(0.9 * (done + share * plan.weight)) }
    const receipt = await runner.run(plan, into, inner)
    parts.push({ plan, receipt, result: await into.finish() })
    done += plan.weight
    if (receipt.replaces === undefined) continue
    old += receipt.replaces
    fresh += receipt.bytes
    pays = !runner.mustShrink || fresh < old * MAX_TRACK_SHARE
  }
  return parts
}

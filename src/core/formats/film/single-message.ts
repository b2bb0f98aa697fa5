/** A film in one message, all parts one after the other; and when pictures are given up. */
import type { Options, Sink } from '../../model/codec.ts'
import type { FinishedPart, PartPlan, PartReceipt, SoFar } from '../../model/segmented.ts'
import { memorySink } from '../../model/sink.ts'
import { TELLING, WORTH_IT } from './tuning.ts'

/** Whether the pictures of a film, `pictureBytes` in all, are given up: in messages of their own, or in the middle of the only part. */
export const isHopeless = ({ bytes, replaces }: SoFar, pictureBytes: number): boolean =>
  replaces > TELLING.share * pictureBytes && bytes > TELLING.growth * replaces

export const isOfPictures = ({ facts }: PartPlan): boolean => facts['kind'] === 'pictures'

export interface Runner {
  run(plan: PartPlan, sink: Sink, options: Options): Promise<PartReceipt>
  /** Whether pictures are given up as soon as they do not get smaller. */
  readonly mustPay: boolean
}

export async function runInSequence(plans: readonly PartPlan[], runner: Runner, options: Options): Promise<FinishedPart[]> {
  const parts: FinishedPart[] = []
  let [old, fresh, done, pays] = [0, 0, 0, true]
  for (const plan of plans) {
    if (isOfPictures(plan) && !pays) continue
    const into = memorySink(Number.POSITIVE_INFINITY, 'part')
    const inner = { ...options, progress: (share: number) => options.progress(0.9 * (done + share * plan.weight)) }
    const receipt = await runner.run(plan, into, inner)
    parts.push({ plan, receipt, result: await into.finish() })
    done += plan.weight
    if (receipt.replaces === undefined) continue
    old += receipt.replaces
    fresh += receipt.bytes
    pays = !runner.mustPay || fresh < old * WORTH_IT
  }
  return parts
}

/** A film in one message: all parts one after the other. */
import type { Options, Sink } from '../../codec/codec.ts'
import type { FinishedPart, PartPlan, PartReceipt } from '../../codec/segmented.ts'
import { memorySink } from '../../codec/sink.ts'

/** A new track must be this much smaller than the old one. */
export const WORTH_IT = 0.97

export interface Runner {
  run(plan: PartPlan, sink: Sink, options: Options): Promise<PartReceipt>
  /** What the pictures of a part take in the source; undefined for other parts. */
  pictureBytes(plan: PartPlan): number | undefined
  /** Whether pictures are given up as soon as they do not get smaller. */
  readonly mustPay: boolean
}

export async function runInSequence(plans: readonly PartPlan[], runner: Runner, options: Options): Promise<FinishedPart[]> {
  const parts: FinishedPart[] = []
  let [old, fresh, done, pays] = [0, 0, 0, true]
  for (const plan of plans) {
    const before = runner.pictureBytes(plan)
    if (before !== undefined && !pays) continue
    const into = memorySink(Number.POSITIVE_INFINITY, 'part')
    const inner = { ...options, progress: (share: number) => options.progress(0.9 * (done + share * plan.weight)) }
    const receipt = await runner.run(plan, into, inner)
    parts.push({ plan, receipt, result: await into.finish() })
    done += plan.weight
    if (before === undefined) continue
    old += before
    fresh += receipt.bytes
    pays = !runner.mustPay || fresh < old * WORTH_IT
  }
  return parts
}

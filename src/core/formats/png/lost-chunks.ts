/** Chunks that a result cannot carry: what they are to the receipt. */
import type { Loss } from '../../model/loss.ts'
import { ofPixels } from '../../model/loss.ts'
import { MEANINGLESS } from './chunks.ts'

const isMissed = (type: string) => !MEANINGLESS.has(type)

/** Whether nothing that the upload said is missing without these chunks: what spoke of its stored form alone is not missed. */
export const isComplete = (dropped: readonly string[]): boolean => !dropped.some(isMissed)

/** The loss of a result of the same samples: none, unless something else than samples is missing. */
export const lossWithout = (dropped: readonly string[]): { readonly loss?: Loss } =>
  isComplete(dropped) ? {} : { loss: { pictures: ofPixels({ ssim: 1, psnrDb: Number.POSITIVE_INFINITY }) } }

/** In words for the receipt. */
export function saidOf(dropped: readonly string[]): string[] {
  const said = (start: string, types: readonly string[]) => (types.length ? [`${start}: ${[...new Set(types)].join(', ')}`] : [])
  const stale = dropped.filter((type) => !isMissed(type))
  return [...said('no longer true, left out', stale), ...said('not kept', dropped.filter(isMissed))]
}

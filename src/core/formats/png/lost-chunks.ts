/** Chunks that a result cannot carry: what they are to the receipt. */
import { type Message, message } from '../../i18n/message.ts'
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
export function saidOf(dropped: readonly string[]): Message[] {
  const said = (code: 'no_longer_true' | 'not_kept', types: readonly string[]) =>
    types.length ? [message(code, { types: [...new Set(types)] })] : []
  const stale = dropped.filter((type) => !isMissed(type))
  return [...said('no_longer_true', stale), ...said('not_kept', dropped.filter(isMissed))]
}

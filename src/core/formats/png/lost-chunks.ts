/** Describes chunks that a result cannot keep, for the receipt. */
import { type Message, message } from '../../i18n/message.ts'
import type { Loss } from '../../model/loss.ts'
import { pixelLoss } from '../../model/loss.ts'
import { FORM_CHUNKS } from './chunks.ts'

const isInformation = (type: string) => !FORM_CHUNKS.has(type)

/** True if the dropped chunks lose no information. Chunks that only described the stored form do not count. */
export const losesNoInformation = (dropped: readonly string[]): boolean => !dropped.some(isInformation)

/** Loss record of a result with unchanged samples: none, unless information in chunks was lost. */
export const lossWithout = (dropped: readonly string[]): { readonly loss?: Loss } =>
  losesNoInformation(dropped) ? {} : { loss: { pictures: pixelLoss({ ssim: 1, psnrDb: Number.POSITIVE_INFINITY }) } }

/** Receipt steps about dropped chunks. */
export function droppedChunkSteps(dropped: readonly string[]): Message[] {
  const stepOf = (code: 'no_longer_true' | 'not_kept', types: readonly string[]) =>
    types.length ? [message(code, { types: [...new Set(types)] })] : []
  const stale = dropped.filter((type) => !isInformation(type))
  return [...stepOf('no_longer_true', stale), ...stepOf('not_kept', dropped.filter(isInformation))]
}

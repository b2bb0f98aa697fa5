/** Converts outcomes stored by earlier releases, in which messages were text and losses had no field of their own. */
import { englishText, revivedMessage, type StoredMessage } from '../../core/i18n/message.ts'
import type { Compressed, Outcome } from '../../core/model/codec.ts'
import { lossOf } from '../../core/model/loss.ts'

/** Outcome in any stored form. The first release stored `fidelity` and the scores as top-level fields. */
export type StoredOutcome =
  | (Omit<Extract<Outcome, { kind: 'unchanged' }>, 'detail'> & { readonly detail?: StoredMessage })
  | (Omit<Compressed, 'steps'> & { readonly steps: readonly StoredMessage[] })
  | {
      readonly kind: 'compressed'
      readonly fidelity: 'lossless' | 'perceptual'
      readonly ssim?: number
      readonly psnrDb?: number
      readonly snrDb?: number
      readonly steps: readonly string[]
      readonly output?: Exclude<Compressed['output'], undefined>
    }

/** Converts the messages of an outcome to English text, for task records of the release before message codes. */
export function outcomeInEnglish(outcome: Outcome): StoredOutcome {
  if (outcome.kind === 'compressed') return { ...outcome, steps: outcome.steps.map(englishText) }
  const { detail, ...rest } = outcome
  return detail === undefined ? rest : { ...rest, detail: englishText(detail) }
}

/** Converts a stored outcome to the current form. The receipt stays the same. */
export function revivedOutcome(stored: StoredOutcome): Outcome {
  if (stored.kind === 'unchanged') {
    const { detail, ...rest } = stored
    return detail === undefined ? rest : { ...rest, detail: revivedMessage(detail) }
  }
  const steps = stored.steps.map(revivedMessage)
  if (!('fidelity' in stored)) return { ...stored, steps }
  const { kind, ssim, psnrDb, snrDb, output } = stored
  const pictures = ssim === undefined || psnrDb === undefined ? undefined : { ssim, psnrDb, measuredAt: undefined }
  const sound = snrDb === undefined ? undefined : { snrDb }
  return { kind, ...lossOf(pictures, sound), steps, ...(output === undefined ? {} : { output }) }
}

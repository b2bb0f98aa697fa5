import { fidelityOf, type Outcome } from '../../src/core/model/codec.ts'

/** Returns the outcome with its fidelity. An unchanged file gets no fidelity, so that tests do not mistake it for a result. */
export const withFidelity = (outcome: Outcome) => (outcome.kind === 'compressed' ? { ...outcome, fidelity: fidelityOf(outcome) } : outcome)

/**
 * Returns the measured loss of the pictures.
 * @throws Error if the result is lossless
 */
export function pictureLossOf(outcome: Outcome) {
  const loss = outcome.kind === 'compressed' ? outcome.loss?.pictures : undefined
  if (!loss) throw new Error(`no loss of pictures: ${JSON.stringify(outcome)}`)
  return loss
}

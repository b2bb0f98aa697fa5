import { fidelityOf, type Outcome } from '../../src/core/model/codec.ts'

/** An outcome with the fidelity that follows from it. An upload that stays as it is has none: no test may take it for a result. */
export const withFidelity = (outcome: Outcome) => (outcome.kind === 'compressed' ? { ...outcome, fidelity: fidelityOf(outcome) } : outcome)

/** What the pictures of a result lost; a test that asks fails where they lost nothing. */
export function pictureLossOf(outcome: Outcome) {
  const loss = outcome.kind === 'compressed' ? outcome.loss?.pictures : undefined
  if (!loss) throw new Error(`no loss of pictures: ${JSON.stringify(outcome)}`)
  return loss
}

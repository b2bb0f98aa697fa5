/** Outcomes that were stored before losses had a place of their own, read as they are written now. */
import type { Compressed, Outcome } from '../../core/model/codec.ts'
import { lossOf } from '../../core/model/loss.ts'

/** Until 2026 fidelity was stored, and figures lay beside it. */
export type StoredOutcome =
  | Outcome
  | {
      readonly kind: 'compressed'
      readonly fidelity: 'lossless' | 'perceptual'
      readonly ssim?: number
      readonly psnrDb?: number
      readonly snrDb?: number
      readonly steps: string[]
      readonly output?: Exclude<Compressed['output'], undefined>
    }

/** The same receipt comes of it, whichever shape it was stored in. */
export function revivedOutcome(stored: StoredOutcome): Outcome {
  if (stored.kind === 'unchanged' || !('fidelity' in stored)) return stored
  const { kind, ssim, psnrDb, snrDb, steps, output } = stored
  const pictures = ssim === undefined || psnrDb === undefined ? undefined : { ssim, psnrDb, measuredAt: undefined }
  const sound = snrDb === undefined ? undefined : { snrDb }
  return { kind, ...lossOf(pictures, sound), steps, ...(output === undefined ? {} : { output }) }
}

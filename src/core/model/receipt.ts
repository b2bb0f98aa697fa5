/** Result section of a receipt. Figures are rounded down, and unmeasured figures are left out. */
import type { RemovingMode } from '../catalog/metadata.ts'
import { englishText, type Message, message } from '../i18n/message.ts'
import { fidelityOf, type Outcome, type Removed, type Suggestion } from './codec.ts'
import type { Loss, MeasuredAt, PictureLoss } from './loss.ts'

export interface ReceiptView {
  outcome: 'compressed' | 'unchanged'
  fidelity: 'lossless' | 'perceptual'
  reason?: string
  detail?: string
  suggestion?: { format: string; estimated_size: number }
  ssim?: number
  psnr_db?: number
  measured_at?: MeasuredAt
  mean_ssim?: number
  mean_psnr_db?: number
  ssimulacra2?: number
  /** Signal-to-noise ratio of the sound compared with the original, in dB. */
  snr_db?: number
  verified: true
  verified_share?: number
  /** Independent readers that have read the result. */
  verified_by?: string[]
  /** Number of items by kind, besides pixels and samples, that the original holds and the result keeps. */
  inventory?: { [kind: string]: number }
  /** Metadata that was removed as requested. */
  metadata?: RemovingMode
  /** Items of the original that the result does not have. */
  removed?: RemovedView[]
  sha256: string
  original_sha256: string
  steps?: string[]
}

/** Removed items in words: what kind, how many, and why. */
interface RemovedView {
  what: string
  count: number
  why: string
}

/** Outcome of a job. `sha256` is the hash of the result. */
export interface MeasuredOutcome {
  readonly outcome: Outcome
  readonly sha256: string
  readonly verifiedShare?: number
}

/**
 * Returns the result section of a receipt.
 * @param render converts a message to text in the reader's language; default: English
 */
export function receiptView(
  { outcome, sha256, verifiedShare }: MeasuredOutcome,
  originalSha256: string,
  render: (message: Message) => string = englishText,
): ReceiptView {
  const share = verifiedShare === undefined ? {} : { verified_share: floorTo(verifiedShare, 4) }
  const common = { verified: true as const, ...share, sha256, original_sha256: originalSha256 }
  if (outcome.kind === 'unchanged') {
    const { reason, detail, suggestion } = outcome
    const reasonView = { reason, ...(detail && { detail: render(detail) }), ...(suggestion && { suggestion: suggested(suggestion) }) }
    return { outcome: 'unchanged', ...reasonView, fidelity: fidelityOf(outcome), ...common }
  }
  return {
    outcome: 'compressed',
    fidelity: fidelityOf(outcome),
    ...figuresView(outcome.loss, outcome.targetScore),
    ...common,
    ...(outcome.verifiedBy && { verified_by: [...outcome.verifiedBy] }),
    ...(outcome.inventory && { inventory: { ...outcome.inventory } }),
    ...(outcome.metadata && { metadata: outcome.metadata }),
    ...(outcome.removed?.length && { removed: outcome.removed.map((one) => removedView(one, render)) }),
    steps: outcome.steps.map((step) => render(step)),
  }
}

const removedView = ({ kind, count, why }: Removed, render: (message: Message) => string): RemovedView => ({
  what: render(message(`kind_${kind}`)),
  count,
  why: render(message(`removal_${why}`)),
})

const suggested = ({ output, estimatedBytes }: Suggestion) => ({ format: output, estimated_size: Math.ceil(estimatedBytes) })

/**
 * Returns the figures of a loss in the notation of receipts.
 * @param targetScore score that the caller asked for. Then the receipt has the score even above 90. Default: none
 */
export function figuresView({ pictures, sound }: Loss = {}, targetScore?: number) {
  const mostScore = targetScore === undefined ? MOST_CHECKED_SCORE : MOST_SCORE
  return {
    ...(pictures && pictureFigures(pictures, mostScore)),
    ...(sound && decibels('snr_db', sound.snrDb)),
  }
}

/**
 * Highest score that receipts report. Above 90, differences are invisible, and the published single-precision programs differ by up to
 * ten points, so nobody could check the score.
 */
const MOST_CHECKED_SCORE = 90
/** Score of equal pictures. */
const MOST_SCORE = 100

function pictureFigures({ ssim, psnrDb, measuredAt, mean, ssimulacra2 }: PictureLoss, mostScore: number) {
  return {
    ssim: floorTo(ssim, 4),
    ...decibels('psnr_db', psnrDb),
    ...(measuredAt && { measured_at: measuredAt }),
    ...(mean && { mean_ssim: floorTo(mean.ssim, 4), ...decibels('mean_psnr_db', mean.psnrDb) }),
    ...(ssimulacra2 !== undefined && ssimulacra2 <= mostScore && { ssimulacra2: floorTo(ssimulacra2, 1) }),
  }
}

/** Returns a figure in dB as a field to spread. An infinite ratio (no sample changed) has no JSON number and is left out. */
function decibels<Name extends string>(name: Name, measuredDb: number): { [name in Name]?: number } {
  return Number.isFinite(measuredDb) ? ({ [name]: floorTo(measuredDb, 2) } as { [name in Name]: number }) : {}
}

/** Rounds down, so that a receipt never claims more than was measured. */
const floorTo = (value: number, digits: number) => Math.floor(value * 10 ** digits) / 10 ** digits

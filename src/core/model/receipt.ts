/** What a task says of its result: figures rounded down, and none that was not measured. */
import { english, type Message } from '../i18n/message.ts'
import { fidelityOf, type Outcome, type Suggestion } from './codec.ts'
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
  /** Sound: signal-to-noise ratio against the upload, dB. */
  snr_db?: number
  verified: true
  verified_share?: number
  sha256: string
  original_sha256: string
  steps?: string[]
}

/** What a receipt is about; `sha256` is the result's. */
export interface Stated {
  readonly outcome: Outcome
  readonly sha256: string
  readonly verifiedShare?: number
}

/** @param render the text of a message in the language of the reader; default: English */
export function receiptView(
  { outcome, sha256, verifiedShare }: Stated,
  originalSha256: string,
  render: (said: Message) => string = english,
): ReceiptView {
  const share = verifiedShare === undefined ? {} : { verified_share: floorTo(verifiedShare, 4) }
  const common = { verified: true as const, ...share, sha256, original_sha256: originalSha256 }
  if (outcome.kind === 'unchanged') {
    const { reason, detail, suggestion } = outcome
    const said = { reason, ...(detail && { detail: render(detail) }), ...(suggestion && { suggestion: suggested(suggestion) }) }
    return { outcome: 'unchanged', ...said, fidelity: fidelityOf(outcome), ...common }
  }
  return {
    outcome: 'compressed',
    fidelity: fidelityOf(outcome),
    ...figuresView(outcome.loss),
    ...common,
    steps: outcome.steps.map((step) => render(step)),
  }
}

const suggested = ({ output, estimatedBytes }: Suggestion) => ({ format: output, estimated_size: Math.ceil(estimatedBytes) })

/** As receipts write them. */
export function figuresView({ pictures, sound }: Loss = {}) {
  return {
    ...(pictures && pictureFigures(pictures)),
    ...(sound && decibels('snr_db', sound.snrDb)),
  }
}

/** Above it nothing is to be told apart, and nobody could check it: published programs, of single precision, fall up to ten points short. */
const MOST_CHECKED_SCORE = 90

function pictureFigures({ ssim, psnrDb, measuredAt, mean, ssimulacra2 }: PictureLoss) {
  return {
    ssim: floorTo(ssim, 4),
    ...decibels('psnr_db', psnrDb),
    ...(measuredAt && { measured_at: measuredAt }),
    ...(mean && { mean_ssim: floorTo(mean.ssim, 4), ...decibels('mean_psnr_db', mean.psnrDb) }),
    ...(ssimulacra2 !== undefined && ssimulacra2 <= MOST_CHECKED_SCORE && { ssimulacra2: floorTo(ssimulacra2, 1) }),
  }
}

/** Where no sample that counts changed the ratio is infinite, which no number says: the figure is absent. */
function decibels<Name extends string>(name: Name, measuredDb: number): { [name in Name]?: number } {
  return Number.isFinite(measuredDb) ? ({ [name]: floorTo(measuredDb, 2) } as { [name in Name]: number }) : {}
}

/** Rounded down, so that a receipt never claims more than was measured. */
const floorTo = (value: number, digits: number) => Math.floor(value * 10 ** digits) / 10 ** digits

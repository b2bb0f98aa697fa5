/** Schemas of receipts and of their signed form. */
import * as z from 'zod'
import { bytes, discriminator, fidelity, qualityName, sha256, taskId, time } from './common.ts'

const similarity = z.number().min(0).max(1)
const measured = {
  ssim: similarity.optional().describe('Luma, 11×11 Gaussian window: the worst picture, page or second, rounded down'),
  psnr_db: z.number().optional().describe('Luma, likewise; absent beside `ssim` where no luma changed: it is infinite'),
  measured_at: z
    .enum(['pixels', 'page_144dpi', 'second'])
    .optional()
    .describe('Where the worst was found: in a stored picture, on a page drawn at 144 dpi, in a second of a film'),
  mean_ssim: similarity.optional().describe('Films: over all frames'),
  mean_psnr_db: z.number().optional(),
  ssimulacra2: z
    .number()
    .max(100)
    .optional()
    .describe('What eyes see: SSIMULACRA 2.1 of the worst still picture of at least 64×64 that lost something; not of animations'),
  snr_db: z.number().optional().describe('Sound: signal-to-noise ratio'),
}
const receiptCommon = {
  fidelity,
  verified: z.literal(true).describe('Always true: what was not decoded again and compared is no result'),
  verified_share: similarity
    .optional()
    .describe('How much was decoded or compared byte by byte; absent only in tasks that were completed before it was counted'),
  sha256,
  original_sha256: sha256,
}
const suggestion = z
  .object({ format: z.string(), estimated_size: bytes })
  .meta({ id: 'Suggestion', description: 'What `format` could be for a smaller result.' })
const REASONS = ['no_gain', 'below_floor', 'signed', 'encrypted', 'malformed', 'over_budget', 'unsupported_feature'] as const
export const receipt = z
  .discriminatedUnion('outcome', [
    z
      .object({ outcome: z.literal('compressed'), ...receiptCommon, ...measured, steps: z.array(z.string()) })
      .meta({ id: 'ReceiptCompressed' }),
    z
      .object({
        outcome: z.literal('unchanged'),
        reason: z.enum(REASONS),
        detail: z.string().optional(),
        suggestion: suggestion.optional(),
        ...receiptCommon,
      })
      .meta({ id: 'ReceiptUnchanged' }),
  ])
  .meta({
    id: 'Receipt',
    ...discriminator('outcome', { compressed: 'ReceiptCompressed', unchanged: 'ReceiptUnchanged' }),
    description: 'What was done, and the proof: the result was decoded again and compared before the task was called completed.',
  })

const engine = z
  .object({
    name: z.string(),
    version: z.string().optional().describe('Of this service, whose own code works on every result'),
    wasm_sha256: sha256.optional().describe('Of the Wasm binary'),
    sources: z.array(z.string()).optional().describe('What is compiled in: name and version'),
  })
  .meta({ id: 'Engine' })
export const receiptDocument = z
  .object({
    iss: z.url().describe('Who says so: the origin that the file was sent to'),
    task_id: taskId,
    file_name: z.string(),
    format: z.string(),
    output_format: z.string(),
    quality: qualityName,
    original_size: bytes,
    compressed_size: bytes,
    result: receipt,
    encrypted: z.literal(true).optional().describe('The result is under a password: size and SHA-256 are of what is encrypted'),
    engines: z.array(engine).nullable().describe('That may have worked on it; null where the task was completed before they were kept'),
    completed_at: time,
  })
  .meta({ id: 'SignedReceipt', description: 'What is signed.' })
const publicKey = z
  .object({
    kty: z.literal('OKP'),
    crv: z.literal('Ed25519'),
    x: z.string(),
    kid: z.string(),
    use: z.literal('sig'),
    alg: z.literal('EdDSA'),
  })
  .meta({ id: 'PublicKey' })
export const keySet = z.object({ keys: z.array(publicKey) }).meta({ id: 'KeySet' })

/** Schemas of receipts and of their signed form. */
import * as z from 'zod'
import { bytes, discriminator, fidelity, qualityName, sha256, targetScore, taskId, time } from './common.ts'

const similarity = z.number().min(0).max(1)
const measured = {
  ssim: similarity.optional().describe('SSIM of the luma in an 11×11 Gaussian window, for the worst picture, page or second, rounded down'),
  psnr_db: z
    .number()
    .optional()
    .describe('PSNR of the luma for the worst picture, page or second. Absent beside `ssim` if no luma changed, because it is infinite'),
  measured_at: z
    .enum(['pixels', 'page_144dpi', 'second'])
    .optional()
    .describe('Where the worst was found: in a stored picture, on a page drawn at 144 dpi, in a second of a film'),
  mean_ssim: similarity.optional().describe('Videos: mean SSIM of all frames'),
  mean_psnr_db: z.number().optional(),
  ssimulacra2: z
    .number()
    .max(100)
    .optional()
    .describe('SSIMULACRA 2.1 score of the worst lossy still picture of at least 64×64 pixels; not for animations'),
  snr_db: z.number().optional().describe('Audio: signal-to-noise ratio'),
}
const receiptCommon = {
  fidelity,
  verified: z.literal(true).describe('Always true: a result that was not decoded and compared is never returned'),
  verified_share: similarity
    .optional()
    .describe('Share of the result that was decoded or compared byte by byte. Absent only in tasks of older versions'),
  sha256,
  original_sha256: sha256,
}
const removed = z
  .object({ what: z.string(), count: z.int().positive(), why: z.string() })
  .meta({ id: 'Removed', description: 'Items of one kind that the upload holds and the result does not, and the reason.' })
const inventory = {
  verified_by: z.array(z.string()).optional().describe('Readers, independent of the encoder, that have read the result'),
  inventory: z
    .record(z.string(), z.int().positive())
    .optional()
    .describe(
      'Number of items by kind, besides pixels and samples, that the upload holds and the result keeps. `/v1/formats` names the kinds',
    ),
  metadata: z.enum(['safe', 'strip']).optional().describe('Metadata that was removed as requested'),
  removed: z.array(removed).optional().describe('What the upload holds and the result does not. Absent if nothing is gone'),
}
const suggestion = z
  .object({ format: z.string(), estimated_size: bytes })
  .meta({ id: 'Suggestion', description: 'A value of `format` that would give a smaller result.' })
const REASONS = ['no_gain', 'below_floor', 'signed', 'encrypted', 'malformed', 'over_budget', 'unsupported_feature'] as const
export const receipt = z
  .discriminatedUnion('outcome', [
    z
      .object({ outcome: z.literal('compressed'), ...receiptCommon, ...measured, ...inventory, steps: z.array(z.string()) })
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
    description: 'What the service did, and the proof: it decoded the result and compared it with the upload before it completed the task.',
  })

const engine = z
  .object({
    name: z.string(),
    version: z.string().optional().describe('Version of this service, whose own code processes every result'),
    wasm_sha256: sha256.optional().describe('SHA-256 of the WebAssembly binary'),
    sources: z.array(z.string()).optional().describe('Compiled-in libraries: name and version'),
  })
  .meta({ id: 'Engine' })
export const receiptDocument = z
  .object({
    iss: z.url().describe('Issuer: the origin of the service'),
    task_id: taskId,
    file_name: z.string(),
    format: z.string(),
    output_format: z.string(),
    quality: qualityName.nullable().describe('`null`: the request had `target_score`'),
    target_score: targetScore.optional(),
    original_size: bytes,
    compressed_size: bytes,
    result: receipt,
    encrypted: z
      .literal(true)
      .optional()
      .describe('True if the result is encrypted with a password. Size and SHA-256 are those of the encrypted file'),
    engines: z.array(engine).nullable().describe('Engines that may have processed the file; null for tasks of older versions'),
    completed_at: time,
  })
  .meta({ id: 'SignedReceipt', description: 'Content of a signed receipt.' })
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

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
  mean_psnr_db: z.number().optional().describe('Videos: mean PSNR of all frames, in decibels'),
  ssimulacra2: z
    .number()
    .max(100)
    .optional()
    .describe('SSIMULACRA 2.1 score of the worst lossy still picture of at least 64×64 pixels; not for animations'),
  snr_db: z.number().optional().describe('Audio: signal-to-noise ratio in decibels'),
}
const receiptCommon = {
  fidelity,
  verified: z.literal(true).describe('Always true: a result that was not decoded and compared is never returned'),
  verified_share: similarity
    .optional()
    .describe('Share of the result that was decoded or compared byte by byte. Absent only in tasks of older versions'),
  sha256: sha256.describe('SHA-256 of the result in hex'),
  original_sha256: sha256.describe('SHA-256 of the upload in hex'),
}
const removed = z
  .object({
    what: z.string().describe('Kind of the items'),
    count: z.int().positive().describe('Number of items'),
    why: z.string().describe('Reason'),
  })
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
  .object({ format: z.string().describe('Value for `format`'), estimated_size: bytes.describe('Estimated size of that result in bytes') })
  .meta({ id: 'Suggestion', description: 'A value of `format` that would give a smaller result.' })
const REASONS = ['no_gain', 'below_floor', 'signed', 'encrypted', 'malformed', 'over_budget', 'unsupported_feature'] as const
export const receipt = z
  .discriminatedUnion('outcome', [
    z
      .object({
        outcome: z.literal('compressed').describe('The result is smaller than the upload, converted or encrypted'),
        ...receiptCommon,
        ...measured,
        ...inventory,
        steps: z.array(z.string()).describe('What changed, in order'),
      })
      .meta({ id: 'ReceiptCompressed' }),
    z
      .object({
        outcome: z.literal('unchanged').describe('The result is the upload, byte for byte'),
        reason: z.enum(REASONS).describe('Why the file stayed unchanged'),
        detail: z.string().optional().describe('The reason in words'),
        suggestion: suggestion.optional().describe('Output that would be smaller. Absent: none is known'),
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
    name: z.string().describe('Name of the engine'),
    version: z.string().optional().describe('Version of this service, whose own code processes every result'),
    wasm_sha256: sha256.optional().describe('SHA-256 of the WebAssembly binary'),
    sources: z.array(z.string()).optional().describe('Compiled-in libraries: name and version'),
  })
  .meta({ id: 'Engine' })
export const receiptDocument = z
  .object({
    iss: z.url().describe('Issuer: the origin of the service'),
    task_id: taskId,
    file_name: z.string().describe('Name of the upload'),
    format: z.string().describe('Recognised format of the upload'),
    output_format: z.string().describe('Format of the result'),
    quality: qualityName.nullable().describe('`null`: the request had `target_score`'),
    target_score: targetScore.optional(),
    original_size: bytes.describe('Size of the upload in bytes'),
    compressed_size: bytes.describe('Size of the result in bytes'),
    result: receipt.describe('The receipt, as in the task'),
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
    kty: z.literal('OKP').describe('Type of the key (RFC 8037)'),
    crv: z.literal('Ed25519').describe('Curve'),
    x: z.string().describe('Public key in base64url'),
    kid: z.string().describe('Id of the key. The header of a receipt names it'),
    use: z.literal('sig').describe('The key verifies signatures'),
    alg: z.literal('EdDSA').describe('Algorithm of the signatures'),
  })
  .meta({ id: 'PublicKey' })
export const keySet = z
  .object({ keys: z.array(publicKey).describe('Public keys of receipts, retired ones included') })
  .meta({ id: 'KeySet' })

/** Parses a receipt file: a signed receipt (compact JWS), its JSON payload, or a task as returned by the API. */

import { compactVerify, createLocalJWKSet, decodeProtectedHeader, errors, type JSONWebKeySet } from 'jose'
import * as z from 'zod'
import { bytesOfBase64 } from '../bytes/base64.ts'

z.config({ jitless: true })

const figure = z.number().optional()
const claims = z.looseObject({
  format: z.string(),
  output_format: z.string(),
  quality: z.enum(['low', 'medium', 'high', 'ultra']),
  original_size: z.number(),
  compressed_size: z.number(),
  encrypted: z.literal(true).optional(),
  result: z.looseObject({
    outcome: z.enum(['compressed', 'unchanged']),
    fidelity: z.enum(['lossless', 'perceptual']),
    ssim: figure,
    psnr_db: figure,
    measured_at: z.string().optional(),
    mean_ssim: figure,
    mean_psnr_db: figure,
    ssimulacra2: figure,
    snr_db: figure,
    verified: z.boolean(),
    verified_share: figure,
    sha256: z.string(),
    original_sha256: z.string(),
    metadata: z.enum(['safe', 'strip']).optional(),
    inventory: z.record(z.string(), z.number()).optional(),
    removed: z.array(z.looseObject({ what: z.string(), count: z.number(), why: z.string() })).optional(),
  }),
})

/** Statements of a receipt that can be checked with the original and the result. */
export type Claims = z.infer<typeof claims>

export type Signature =
  | { readonly kind: 'true'; readonly kid: string }
  | { readonly kind: 'false'; readonly why: string }
  | { readonly kind: 'unchecked'; readonly why: string }

export interface ReadReceipt {
  readonly signature: Signature
  /** Parsed statements. `undefined`: the text is not a receipt. */
  readonly claims: Claims | undefined
}

const JWS = /^[\w-]+\.[\w-]+\.[\w-]*$/

/**
 * Parses a receipt and checks its signature.
 * @param keys public keys of the service (JWKS). `undefined`: the signature is not checked
 */
export async function readReceipt(text: string, keys: JSONWebKeySet | undefined): Promise<ReadReceipt> {
  const trimmed = text.trim()
  if (!JWS.test(trimmed)) return { signature: { kind: 'unchecked', why: 'the receipt is not signed' }, claims: claimsOf(trimmed) }
  const payload = new TextDecoder().decode(bytesOfBase64(trimmed.split('.')[1] ?? ''))
  return { signature: await signatureOf(trimmed, keys), claims: claimsOf(payload) }
}

async function signatureOf(jws: string, keys: JSONWebKeySet | undefined): Promise<Signature> {
  if (!keys) return { kind: 'unchecked', why: 'no keys were given to check it; pass the keys of the service with --jwks' }
  try {
    await compactVerify(jws, createLocalJWKSet(keys), { algorithms: ['EdDSA', 'Ed25519'] })
    return { kind: 'true', kid: String(decodeProtectedHeader(jws).kid) }
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey)
      return { kind: 'false', why: 'no key of the given JWKS matches the key id of the receipt' }
    return {
      kind: 'false',
      why:
        error instanceof errors.JWSSignatureVerificationFailed
          ? 'the receipt was changed after it was signed: the signature does not match'
          : String(error),
    }
  }
}

function claimsOf(text: string): Claims | undefined {
  try {
    const parsed = claims.safeParse(JSON.parse(text))
    return parsed.success ? parsed.data : undefined
  } catch {
    return undefined
  }
}

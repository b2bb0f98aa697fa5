/** Parses a receipt file: a signed receipt (compact JWS), its JSON payload, or a task as returned by the API. */

import { compactVerify, createLocalJWKSet, decodeProtectedHeader, errors, type JSONWebKeySet } from 'jose'
import * as z from 'zod'
import { bytesOfBase64 } from '../bytes/base64.ts'
import type { RemovingMode } from '../catalog/metadata.ts'
import type { Quality } from '../model/codec.ts'

z.config({ jitless: true })

/** Statements of a receipt that can be checked with the original and the result. */
export interface Claims {
  readonly format: string
  readonly output_format: string
  /** Level; `null` if a score was asked for. */
  readonly quality: Quality | null
  readonly target_score?: number | undefined
  readonly original_size: number
  readonly compressed_size: number
  readonly encrypted?: true | undefined
  readonly result: ResultClaims
}

export interface ResultClaims {
  readonly outcome: 'compressed' | 'unchanged'
  readonly fidelity: 'lossless' | 'perceptual'
  readonly ssim?: number | undefined
  readonly psnr_db?: number | undefined
  readonly measured_at?: string | undefined
  readonly mean_ssim?: number | undefined
  readonly mean_psnr_db?: number | undefined
  readonly ssimulacra2?: number | undefined
  readonly snr_db?: number | undefined
  readonly verified: boolean
  readonly verified_share?: number | undefined
  readonly sha256: string
  readonly original_sha256: string
  readonly metadata?: RemovingMode | undefined
  readonly inventory?: Record<string, number> | undefined
  readonly removed?: readonly RemovedClaim[] | undefined
}

interface RemovedClaim {
  readonly what: string
  readonly count: number
  readonly why: string
}

/** Public keys of a service: a JSON Web Key Set (RFC 7517). */
export interface PublicKeys {
  readonly keys: readonly { readonly kty?: string; readonly [name: string]: unknown }[]
}

const figure = z.number().optional()
const claims: z.ZodType<Claims> = z.looseObject({
  format: z.string(),
  output_format: z.string(),
  quality: z.enum(['low', 'medium', 'high', 'ultra']).nullable(),
  target_score: figure,
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
export async function readReceipt(text: string, keys: PublicKeys | undefined): Promise<ReadReceipt> {
  const trimmed = text.trim()
  if (!JWS.test(trimmed)) return { signature: { kind: 'unchecked', why: 'the receipt is not signed' }, claims: claimsOf(trimmed) }
  const payload = new TextDecoder().decode(bytesOfBase64(trimmed.split('.')[1] ?? ''))
  return { signature: await signatureOf(trimmed, keys), claims: claimsOf(payload) }
}

async function signatureOf(jws: string, keys: PublicKeys | undefined): Promise<Signature> {
  if (!keys) return { kind: 'unchecked', why: 'no keys were given to check it; pass the keys of the service with --jwks' }
  try {
    await compactVerify(jws, createLocalJWKSet(keys as JSONWebKeySet), { algorithms: ['EdDSA', 'Ed25519'] })
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

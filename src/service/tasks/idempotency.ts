/** `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header): a repeated request returns the first request's task. */
import { Buffer } from 'node:buffer'
import type { AccountApi } from '../store/accounts.ts'
import { hmacSha256 } from '../store/hmac.ts'
import { ApiError, invalidParameter } from './api-error.ts'
import type { HashedFile } from './ingest.ts'

export type IdempotencyClaim =
  /** The request has no idempotency key. */
  | { readonly kind: 'free' }
  | { readonly kind: 'first'; finish(fingerprint: string, id: string): Promise<void>; abandon(): Promise<void> }
  | { readonly kind: 'repeated'; readonly fingerprint: string; readonly id: string }

/**
 * Claims the idempotency key before the body is read. `scope` separates endpoints.
 * @throws ApiError `idempotency_in_flight` if another request is using the key
 */
export async function claimIdempotencyKey(account: AccountApi, key: string | undefined, scope: string): Promise<IdempotencyClaim> {
  if (key === undefined) return { kind: 'free' }
  const state = await account.beginIdempotent(key, scope, crypto.randomUUID())
  switch (state.kind) {
    case 'in_flight':
      throw new ApiError('idempotency_in_flight', 'idempotency_key_in_flight', {}, { 'Retry-After': '1' })
    case 'done':
      return { kind: 'repeated', fingerprint: state.fingerprint, id: state.id }
    case 'new':
      return {
        kind: 'first',
        finish: (fingerprint, id) => account.finishIdempotent(key, scope, fingerprint, id),
        abandon: () => account.abandonIdempotent(key, scope),
      }
  }
}

/**
 * Parses the header: a quoted string (RFC 8941) or visible ASCII, 1–255 characters. `undefined`: no header.
 * @throws ApiError if the value is malformed
 */
export function parseIdempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  const match = /^"([\x20\x21\x23-\x5b\x5d-\x7e]{1,255})"$/.exec(header) ?? /^([\x21\x23-\x7e]{1,255})$/.exec(header)
  if (!match) throw invalidParameter('Idempotency-Key', 'idempotency_key_malformed')
  return match[1]
}

/**
 * Returns an HMAC-SHA-256 over the file digests and form fields; equal requests have equal fingerprints.
 * Keyed with a secret, because the fields may contain a password that must not be guessed from the stored value.
 */
export async function fingerprint(secret: string, files: readonly HashedFile[], fields: ReadonlyMap<string, string>): Promise<string> {
  const text = JSON.stringify([
    files.map((file) => file.uploadId ?? file.url ?? file.object ?? file.sha256),
    [...fields].sort(([a], [b]) => (a < b ? -1 : 1)),
  ])
  return Buffer.from(await hmacSha256(secret, text)).toString('hex')
}

/** Throws `idempotency_mismatch` unless both fingerprints are equal. */
export function assertSameFingerprint(known: string, now: string): void {
  if (known === now) return
  throw new ApiError('idempotency_mismatch', 'idempotency_key_reused')
}

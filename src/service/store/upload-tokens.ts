/**
 * Browser tokens: short-lived secrets that a page may use instead of an API key. The KeyGate object of the key that made a token keeps it,
 * so that one call checks token, key and rate limit, and a token ends with its key.
 */
import type { FormatId } from '../../core/catalog/index.ts'
import type { Quality } from '../../core/model/codec.ts'

/** Most stored tokens of a key. Tokens that expired up to 15 minutes ago count as well. */
export const MAX_TOKENS = 100_000
/** Most files of a token. */
export const MAX_TOKEN_FILES = 1000
/** Longest lifetime of a token, in seconds (a day). */
export const MAX_TOKEN_SECONDS = 86_400

/** What the files of a token may be. */
export interface TokenLimits {
  /** Largest size of a file in bytes. `undefined`: that of the plan. */
  readonly maxBytes?: number
  /** Formats of the files. `undefined`: all. */
  readonly formats?: readonly FormatId[]
  /** Level of all files. `undefined`: the page chooses. */
  readonly quality?: Quality
}

export interface UploadToken extends TokenLimits {
  /** SHA-256 of the token as hex. The token itself is not stored. */
  readonly id: string
  /** Origin of the pages that may use the token, such as `https://app.example.com`. */
  readonly origin: string
  /** Expiry in epoch milliseconds. */
  readonly expiresAt: number
  /** Number of files for which the token may create tasks. */
  readonly maxFiles: number
  /** Id of the guest's address. `''`: it has no limits. `undefined`: an API key made the token. */
  readonly guest?: string
}

/** The part of a token that its files and uploads need. */
export interface TokenGrant extends TokenLimits {
  readonly id: string
  readonly maxFiles: number
  /** Name of the KeyGate object that keeps the token. */
  readonly gate: string
  /** True if a guest has the token. */
  readonly isGuest?: true
}

export const grantOf = ({ id, maxFiles, maxBytes, formats, quality, guest }: UploadToken, gate: string): TokenGrant => ({
  id,
  maxFiles,
  gate,
  ...(maxBytes === undefined ? {} : { maxBytes }),
  ...(formats === undefined ? {} : { formats }),
  ...(quality === undefined ? {} : { quality }),
  ...(guest === undefined ? {} : { isGuest: true }),
})

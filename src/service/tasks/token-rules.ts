/** What requests with a browser token may send, and how their files are counted. */

import type { KnownFormat } from '../../core/catalog/outputs.ts'
import type { Env } from '../env.ts'
import { type ApiMessageOrCode, apiMessage } from '../i18n/message.ts'
import type { TokenGrant, TokenLimits } from '../store/upload-tokens.ts'
import { ApiError, type ErrorFacts } from './api-error.ts'

/** Why a token does not allow a request. */
type TokenReason = 'origin' | 'request' | 'task' | 'max_files' | 'max_bytes' | 'formats' | 'quality' | 'field'

export const tokenRefusal = (reason: TokenReason, said: ApiMessageOrCode, facts: ErrorFacts = {}) =>
  new ApiError('token_not_allowed', said, { reason, ...facts })

/** Fields that let the service call other addresses. A page must not choose them for the account. */
const FORBIDDEN: readonly string[] = ['url', 'source', 'callback_url', 'destination_url', 'destination_headers', 'destination']
/** Fields that replace the level of a token. */
const GOALS: readonly string[] = ['quality', 'target_size', 'target_score']

/** @throws ApiError `token_not_allowed` if a page may not send this field or value */
export function checkTokenField(token: TokenLimits, name: string, value: string): void {
  if (FORBIDDEN.includes(name)) throw tokenRefusal('field', apiMessage('token_forbids_field', { name }), { param: name })
  const { quality } = token
  if (quality === undefined || !GOALS.includes(name) || (name === 'quality' && value === quality)) return
  throw tokenRefusal('quality', apiMessage('token_fixes_quality', { quality, name }), { param: name, allowed: [quality] })
}

/** @throws ApiError `token_not_allowed` if the files of the token have other formats */
export function checkTokenFormat({ formats }: TokenLimits, format: KnownFormat): void {
  if (formats === undefined || (formats as readonly string[]).includes(format.id)) return
  const said = apiMessage('token_not_for_format', { format: format.id, allowed: formats.join(', ') })
  throw tokenRefusal('formats', said, { got: format.id, allowed: formats })
}

/** Limit of a file in bytes, if the token has a lower one than the plan, with the refusal of larger files. */
export function tokenSizeLimit(token: TokenLimits | undefined, planBytes: number): { limitBytes: number; tooLarge: ApiError } | undefined {
  const limitBytes = token?.maxBytes
  if (limitBytes === undefined || limitBytes >= planBytes) return undefined
  const tooLarge = tokenRefusal('max_bytes', apiMessage('token_not_for_file_size', { bytes: limitBytes }), { limit_bytes: limitBytes })
  return { limitBytes, tooLarge }
}

/** Refusal of a file after the last one that the token was made for. */
export const tokenUsedUp = (limit: number) => tokenRefusal('max_files', apiMessage('token_used_up', { limit }), { limit })

/**
 * Counts a file before its task or upload is created.
 * @throws ApiError `token_not_allowed` if the token has no file left
 */
export async function claimTokenFile(env: Env, { gate, id, maxFiles }: TokenGrant, taskId: string): Promise<void> {
  if (!(await env.KEY_GATES.getByName(gate).claimTokenFile(id, taskId))) throw tokenUsedUp(maxFiles)
}

/** Ends the claim of a file. If the call fails, the next request without a file left asks whether the task exists. */
export async function settleTokenFile(env: Env, { gate, id }: TokenGrant, taskId: string, end: 'used' | 'refused'): Promise<void> {
  await env.KEY_GATES.getByName(gate)
    .settleTokenFile(id, taskId, end)
    .catch((error: unknown) => {
      console.error(JSON.stringify({ level: 'error', event: 'token_file_not_settled', task_id: taskId, error: String(error) }))
    })
}

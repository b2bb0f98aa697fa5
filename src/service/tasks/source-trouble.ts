/** Errors of sources that the service fetches itself. */
import { type BucketError, PASSING_TROUBLES } from '../buckets/object-store.ts'
import { type ApiMessage, apiMessage } from '../i18n/message.ts'
import { ApiError } from './api-error.ts'
import { troubleFacts, troubleMessage } from './bucket-trouble.ts'

/** Longest time in milliseconds until a source begins to answer, over all redirects. */
export const FIRST_BYTE_MS = 60_000
/** Longest silence of a source in milliseconds. */
export const SILENCE_MS = 30_000
/** Longest time of a whole fetch in milliseconds. */
export const FETCH_MS = 600_000
export const MAX_REDIRECTS = 3

const MESSAGES = {
  http_status: (status: number | null) => apiMessage('source_answered', { status: String(status) }),
  too_many_redirects: () => apiMessage('source_redirects_too_often', { limit: MAX_REDIRECTS }),
  unsafe_redirect: () => apiMessage('source_redirects_wrongly'),
  no_answer: () => apiMessage('source_does_not_answer', { seconds: FIRST_BYTE_MS / 1000 }),
  stalled: () => apiMessage('source_falls_silent', { seconds: SILENCE_MS / 1000 }),
  too_slow: () => apiMessage('source_takes_too_long', { minutes: FETCH_MS / 60_000 }),
  cut_off: () => apiMessage('source_breaks_off'),
  no_connection: () => apiMessage('source_not_connected'),
  content_encoding: () => apiMessage('source_is_encoded'),
  interrupted: () => apiMessage('source_interrupted'),
} satisfies Readonly<Record<string, (status: number | null) => ApiMessage>>

/** Machine-readable cause in `error_detail.reason`. */
type SourceReason = keyof typeof MESSAGES

/**
 * Returns the error of a source that cannot be fetched.
 * @param status HTTP status of its last answer. `null`: none
 */
export const sourceUnreachable = (reason: SourceReason, status: number | null = null): ApiError =>
  new ApiError('source_unreachable', apiMessage('source_unreachable', { why: MESSAGES[reason](status) }), { status, reason })

/** Returns the error of an object that cannot be fetched from its bucket. */
export const bucketUnreachable = (error: BucketError): ApiError =>
  new ApiError('source_unreachable', apiMessage('object_unreachable', { why: troubleMessage(error) }), troubleFacts(error))

/** True if a later try may succeed: the server of a bucket was overloaded, failed or did not answer. */
export const isPassing = ({ type, facts }: ApiError): boolean =>
  type === 'source_unreachable' && PASSING_TROUBLES.some((trouble) => trouble === facts['reason'])

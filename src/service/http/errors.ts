/** Error responses: JSON with `error` and `error_detail`, or RFC 9457 if the client accepts it. */
import { translate } from '../i18n/message.ts'
import { PlatformError } from '../store/retry.ts'
import { ApiError } from '../tasks/api-error.ts'
import { type AppContext, baseUrl } from './context.ts'
import { languageFor } from './task-serialiser.ts'

/** Converts any thrown value to an `ApiError`. Unknown errors become `internal` or `overloaded`, without details for the caller. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (isOverload(error instanceof PlatformError ? error.cause : error)) {
    return new ApiError('overloaded', 'service_busy', {}, { 'Retry-After': '5' })
  }
  return new ApiError('internal', 'something_went_wrong')
}

/** True if a Durable Object marks the error as `overloaded` or `retryable`. */
function isOverload(error: unknown): boolean {
  return (
    error instanceof Error && (('overloaded' in error && error.overloaded === true) || ('retryable' in error && error.retryable === true))
  )
}

export function errorResponse(c: AppContext, error: ApiError): Response {
  const requestId = c.get('requestId')
  const language = languageFor(c)
  const message = translate(language, error.apiMessage)
  const docUrl = `${baseUrl(c)}/docs#${error.type}`
  const detail = { type: error.type, ...error.facts, doc_url: docUrl }
  if (wantsProblem(c.req.header('Accept'))) {
    const problem = {
      type: docUrl,
      title: titleOf(error.type),
      status: error.status,
      detail: message,
      instance: `urn:request:${requestId}`,
      request_id: requestId,
      error_detail: detail,
    }
    return answer(error, problem, { 'Content-Type': 'application/problem+json', 'Content-Language': language })
  }
  const body = { error: { code: error.status, message, request_id: requestId }, error_detail: detail }
  return answer(error, body, { 'Content-Type': 'application/json', 'Content-Language': language })
}

function answer(error: ApiError, body: unknown, headers: Readonly<Record<string, string>>): Response {
  return new Response(JSON.stringify(body), {
    status: error.status,
    headers: { ...headers, Vary: 'Accept, Accept-Language', 'Cache-Control': 'no-store', ...error.headers },
  })
}

const titleOf = (type: string) => type[0]!.toUpperCase() + type.slice(1).replaceAll('_', ' ')

/** True if Accept names `application/problem+json` (RFC 9457) without `q=0`. */
function wantsProblem(accept: string | undefined): boolean {
  const match = /application\/problem\+json\s*((?:;[^,]*)?)/i.exec(accept ?? '')
  return match !== null && !/;\s*q=0(\.0*)?\s*(;|$)/.test(match[1] ?? '')
}

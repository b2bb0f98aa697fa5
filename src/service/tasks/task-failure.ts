/** Stored errors as errors of a request. */
import type { TaskError } from '../store/task.ts'
import { ApiError, ERROR_TYPES, type ErrorType } from './api-error.ts'

/** Returns a stored error as an error of the API. An error of an earlier release becomes `internal`. */
export function knownError(error: TaskError | undefined, headers: Readonly<Record<string, string>> = {}): ApiError {
  const type = error && isErrorType(error.type) ? error.type : 'internal'
  return new ApiError(type, typeof error?.message === 'object' ? error.message : 'something_went_wrong', error?.facts, headers)
}

const isErrorType = (type: string): type is ErrorType => type in ERROR_TYPES

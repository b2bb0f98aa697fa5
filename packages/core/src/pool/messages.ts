/** Messages between a pool and its threads. A thread has one job at a time. */
import type { Source } from '../../../../src/core/model/codec.ts'
import { CodecError, TargetUnreachable } from '../../../../src/core/model/error.ts'

/** Kinds of jobs, with what a job consists of and what it returns. Both are copied between threads. */
export type Jobs = { readonly [kind: string]: { readonly job: object; readonly value: object } }

export type ToThread =
  | { readonly kind: 'job'; readonly name: string; readonly job: object }
  /** Answer to `read`. `bytes` is missing if the source failed with `message`. */
  | { readonly kind: 'range'; readonly id: number; readonly bytes?: Uint8Array; readonly message?: string }

export type FromThread =
  | { readonly kind: 'progress'; readonly share: number }
  /** Asks for bytes of one of the sources that stay with the caller. */
  | { readonly kind: 'read'; readonly id: number; readonly source: number; readonly offset: number; readonly length: number }
  | { readonly kind: 'done'; readonly value: object }
  /** `isExpected`: the file or the options are to blame, and the thread can go on. */
  | { readonly kind: 'failed'; readonly error: PlainError; readonly isExpected: boolean }

/** Input of a job: a path, bytes, or a source that the thread reads by messages. `source`: its position in the list of sources. */
export type JobInput =
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array; readonly name: string }
  | { readonly kind: 'source'; readonly source: number; readonly size: number; readonly name: string }

/** An error as plain data, because structured cloning drops the class and its fields. */
type PlainError = Pick<Error, 'name' | 'message'> & {
  readonly code?: unknown
  readonly bestSize?: number
  readonly codec?: Pick<CodecError, 'reason' | 'detail' | 'offset'>
}

export function plainError(error: unknown): PlainError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) }
  const { name, message } = error
  if (error instanceof CodecError) return { name, message, codec: { reason: error.reason, detail: error.detail, offset: error.offset } }
  // A film library has its own class of this error.
  if (name === 'TargetUnreachable') return { name, message, bestSize: (error as TargetUnreachable).bestSize }
  return { name, message, ...('code' in error ? { code: error.code } : {}) }
}

export function errorOf({ name, message, code, bestSize, codec }: PlainError): Error {
  if (codec) return new CodecError(codec.reason, codec.detail, codec.offset)
  if (bestSize !== undefined) return new TargetUnreachable(bestSize)
  if (name === 'RangeError') return new RangeError(message)
  return Object.assign(new Error(message), { name }, code === undefined ? {} : { code })
}

/** True if an error is about the file or the options, and not a bug. */
export const isExpectedError = (error: unknown): boolean =>
  error instanceof RangeError || (error instanceof Error && (['TargetUnreachable', 'CodecError'].includes(error.name) || 'code' in error))

/** Sources that stay with the caller of a pool. */
export type Sources = readonly Source[]

/** Copies bytes, because a message with a part of a buffer would contain the whole buffer. The `slice` of a Node `Buffer` does not copy. */
export const ownCopy = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes)

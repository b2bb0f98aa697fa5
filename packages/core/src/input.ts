/** Inputs in Node: also paths. */
import { fileURLToPath } from 'node:url'
import { type Input as CoreInput, sourceOf } from '../../../src/core/library.ts'
import type { Source } from '../../../src/core/model/codec.ts'
import { fileSource } from './file-source.ts'

/**
 * Input file: a path or `file:` URL, bytes in memory, a `Blob`, a stream, or a `Source` that is read by byte ranges. A stream is read into
 * memory first.
 */
export type Input = string | URL | CoreInput

/** True for a path or `file:` URL. */
export const isPath = (input: Input): input is string | URL => typeof input === 'string' || input instanceof URL

export const pathOf = (input: string | URL): string => (typeof input === 'string' ? input : fileURLToPath(input))

/** Opens `input`. The caller disposes the source if it has a file. @throws Error if a path cannot be opened */
export async function openSource(input: Input, name?: string): Promise<Source & Partial<Disposable>> {
  if (!isPath(input)) return sourceOf(input, name)
  const source = fileSource(pathOf(input))
  return name === undefined ? source : { ...source, name }
}

/** Calls `work` with a source of `input`, and closes its file afterwards. */
export async function withSource<Result>(
  input: Input,
  name: string | undefined,
  work: (source: Source) => Promise<Result>,
): Promise<Result> {
  const source = await openSource(input, name)
  try {
    return await work(source)
  } finally {
    source[Symbol.dispose]?.()
  }
}

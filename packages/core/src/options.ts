/** Inputs and options of the package. */
import { fileURLToPath } from 'node:url'
import type { Receipt } from '../../../src/core/library.ts'
import { type Input as CoreInput, type CompressOptions as CoreOptions, sourceOf } from '../../../src/core/library.ts'
import type { Source } from '../../../src/core/model/codec.ts'
import { fileSource } from './file-source.ts'

/** Input file: a path or `file:` URL, bytes in memory, a `Blob`, a stream, or a `Source` that is read by byte ranges. A stream is read into memory first. */
export type Input = string | URL | CoreInput

export interface CompressOptions extends Omit<CoreOptions, 'output' | 'sink'> {
  /** Format of the result: an id or extension, such as `webp`. `undefined`: the first output of the input's format, usually the same. */
  readonly format?: string
}

export interface Compressed {
  /** Compressed file. If the receipt says `unchanged`, these are the bytes of the input. */
  readonly bytes: Uint8Array
  /** File name of the result: the name of the input, with another extension if the format changed. */
  readonly name: string
  readonly receipt: Receipt
}

/** A source, with the file that it must close. */
export type OpenSource = Source & Partial<Disposable>

/** Opens `input`. The caller disposes the source if it has a file. @throws Error if a path cannot be opened */
export async function openSource(input: Input, name?: string): Promise<OpenSource> {
  if (typeof input !== 'string' && !(input instanceof URL)) return sourceOf(input, name)
  const source = fileSource(typeof input === 'string' ? input : fileURLToPath(input))
  return name === undefined ? source : { ...source, name }
}

/** The options as the library of the core takes them. */
export const coreOptions = ({ format, ...rest }: CompressOptions): CoreOptions => ({
  ...rest,
  ...(format === undefined ? {} : { output: format }),
})

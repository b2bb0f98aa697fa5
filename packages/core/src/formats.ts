/** Supported formats as plain data. */
import { FORMATS } from '../../../src/core/catalog/index.ts'
import type { KnownFormat } from '../../../src/core/catalog/outputs.ts'
import type { Quality } from '../../../src/core/model/codec.ts'

export interface FormatInfo {
  readonly id: string
  /** Name of the format for people. */
  readonly title: string
  /** File extensions without the dot. The first is the usual one. */
  readonly extensions: readonly string[]
  /** Media types. The first is the usual one. */
  readonly mediaTypes: readonly string[]
  /** Possible outputs. The first is the default. */
  readonly outputs: readonly string[]
  readonly qualities: readonly Quality[]
  /** True if the option `metadata` can remove the metadata of this format. */
  readonly removesMetadata: boolean
}

export const formatInfo = ({ id, title, extensions, mimeTypes, outputs, ultra, metadata }: KnownFormat): FormatInfo => ({
  id,
  title,
  extensions: [...extensions],
  mediaTypes: [...mimeTypes],
  outputs: [...outputs],
  qualities: ['low', 'medium', 'high', ...(ultra ? (['ultra'] as const) : [])],
  removesMetadata: metadata === true,
})

/** Formats with these ids, in the order of the catalogue. */
export const formatsOf = (ids: readonly string[]): readonly FormatInfo[] =>
  Object.values<KnownFormat>(FORMATS)
    .filter(({ id }) => ids.includes(id))
    .map(formatInfo)

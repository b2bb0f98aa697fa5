/** Packages that add formats, such as `@whittle-app/film`. Each brings a library of its own, so that licences stay apart. */
import type { FormatId } from '../../../src/core/catalog/index.ts'
import type { Library } from '../../../src/core/library.ts'

/** Formats of another package, and the library that compresses and verifies them. */
export interface Extension {
  readonly formats: readonly FormatId[]
  readonly library: Library
}

const added = new Map<FormatId, Library>()

/**
 * Adds the formats of another package to `compress`, `verify` and `formats`.
 *
 * ```ts
 * import { film } from '@whittle-app/film'
 * use(film)
 * ```
 */
export function use({ formats, library }: Extension): void {
  for (const id of formats) added.set(id, library)
}

/** Ids of the formats that `use` has added. */
export const addedFormats = (): readonly FormatId[] => [...added.keys()]

/** Returns the library that an added format needs. `undefined`: no package has added the format. */
export const addedLibrary = (id: FormatId | undefined): Library | undefined => (id === undefined ? undefined : added.get(id))

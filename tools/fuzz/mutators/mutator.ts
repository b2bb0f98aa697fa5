import type { FormatId } from '../../../src/core/catalog/index.ts'
import type { Random } from '../random.ts'

/** Mutates files of one container so that most of them pass its first checks. */
export interface Mutator {
  readonly container: string
  readonly formats: readonly FormatId[]
  /**
   * Makes one change and usually recomputes lengths and checksums. The same file and the same random series give the same result. A file
   * that
   * is not of the container is changed as plain bytes.
   */
  mutate(file: Uint8Array, random: Random): Uint8Array
}

import type { FormatId } from '../../../src/core/catalog/index.ts'
import type { Random } from '../random.ts'

/** Changes files of one container so that most of them still get past its first checks. */
export interface Mutator {
  readonly container: string
  readonly formats: readonly FormatId[]
  /**
   * One change to what the file is made of; lengths and checksums fit afterwards, most of the time. Pure: the same file and the same
   * series give the same result. A file that is not of the container is changed as mere bytes.
   */
  mutate(file: Uint8Array, random: Random): Uint8Array
}

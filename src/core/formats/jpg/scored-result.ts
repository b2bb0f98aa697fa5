/** What a recompression of a JPEG passes on to its verification. */
import type { FileRange } from '../../../../wasm/jpeg/jpeg.ts'
import type { ScoredRows } from '../../images/search/scored-rows.ts'

/** Result of reading a picture to its end; some implementations also store its coefficients. */
export interface ReadPicture extends Disposable {
  readonly endOffset: number
  readonly lateSegments: readonly FileRange[]
}

/** Evidence for `verify`: scored rows of results, and the end of the upload's picture. */
export class ScoredResult {
  readonly scoredRows: ScoredRows
  readonly endOffset: number
  readonly lateSegments: readonly FileRange[]

  constructor(at: ScoredRows, { endOffset, lateSegments }: ReadPicture) {
    this.scoredRows = at
    this.endOffset = endOffset
    this.lateSegments = lateSegments
  }
}

/**
 * Codec for LAZ. Returns the file unchanged, because LASzip has already compressed it. Wrapping it in `zst`, `br` or `gz` gains nothing
 * either.
 */

import { LAZ } from '../../catalog/formats/las.ts'
import { message } from '../../i18n/message.ts'
import type { Codec } from '../../model/codec.ts'

export const laz: Codec = {
  format: LAZ,

  async compress() {
    return { kind: 'unchanged', reason: 'no_gain', detail: message('points_laszip_coded_already') }
  },

  async verify() {
    return { equal: false, difference: 'LAZ files are never rewritten' }
  },
}

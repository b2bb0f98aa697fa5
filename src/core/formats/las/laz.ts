/** LAZ is as small as LASzip makes it. It is returned as it came; `zst`, `br` and `gz` would gain nothing on it either. */

import { LAZ } from '../../catalog/formats/las.ts'
import { message } from '../../i18n/message.ts'
import type { Codec } from '../../model/codec.ts'

export const laz: Codec = {
  format: LAZ,

  async compress() {
    return { kind: 'unchanged', reason: 'no_gain', detail: message('points_laszip_coded_already') }
  },

  async verify() {
    return { equal: false, difference: 'nothing is ever written for LAZ' }
  },
}

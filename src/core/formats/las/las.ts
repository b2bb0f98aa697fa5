/** Codec for LAS. Encodes the points as LAZ chunks and copies all other bytes. */

import { yieldToEventLoop } from '../../bytes/yield.ts'
import { LAS } from '../../catalog/formats/las.ts'
import { compressWrapped, isWrapper, verifyWrapped } from '../../containers/wrapper/wrapper.ts'
import { message } from '../../i18n/message.ts'
import type { Codec, Options } from '../../model/codec.ts'
import { encodeLaz } from './las-to-laz.ts'
import { lazDifference } from './laz-equals-las.ts'

export const las: Codec = {
  format: LAS,

  async compress(source, sink, options) {
    if (isWrapper(options.output)) return compressWrapped(source, sink, options)
    const { layout, pointCount } = await encodeLaz(source, sink, (share) => tick(options, share))
    const kind = layout.compressor === 3 ? 'layered' : 'pointwise'
    return { kind: 'compressed', steps: [message('laszip_points', { kind, points: pointCount })] }
  },

  async verify(original, result, _outcome, options) {
    if (isWrapper(options.output)) return verifyWrapped(original, result, options)
    const difference = await lazDifference(original, result, (share) => tick(options, share))
    return difference === undefined ? { equal: true } : { equal: false, difference }
  },
}

/** Reports progress after each chunk (about 20 ms of work), yields to other jobs, and stops if the job was cancelled. */
async function tick(options: Options, share: number): Promise<void> {
  options.progress(share)
  await yieldToEventLoop(options.signal)
}

/** Script of the module workers of a pool in browsers. */

import type { Source } from '../../../src/core/model/codec.ts'
import type { FromThread, ToThread } from './pool/messages.ts'
import { poolHandlers } from './pool/pool.ts'
import { serve } from './pool/serve.ts'
import { compress, verify } from './portable.ts'

/** The global scope of a worker, as far as it is used. */
interface WorkerScope {
  postMessage(message: FromThread, transfer: readonly ArrayBuffer[]): void
  addEventListener(type: 'message', listener: (event: { readonly data: ToThread }) => void): void
}

const scope = globalThis as unknown as WorkerScope
const ofBrowser = (input: string | Source): Source => {
  if (typeof input !== 'string') return input
  throw new TypeError('browsers have no paths')
}

serve(
  {
    post: (message, transfer = []) => scope.postMessage(message, transfer),
    listen: (listener) => scope.addEventListener('message', ({ data }) => listener(data)),
  },
  poolHandlers({
    compress: (input, options) => compress(ofBrowser(input), options),
    verify: (original, result, receipt, options) => verify(ofBrowser(original), ofBrowser(result), receipt, options),
  }),
)

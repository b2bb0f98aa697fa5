import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/**
 * Bytes of objects and buffers that the program still reaches, without Wasm memories. It collects garbage first, so the answer does not
 * depend on when V8 does. It collects twice: V8 frees the buffers of the first collection in the background, and the second waits for that.
 */
export function heldBytes(): number {
  collect()
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

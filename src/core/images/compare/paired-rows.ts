/** Two pictures side by side, row by row as both come. */
import type { Raster } from '../raster/raster.ts'

export type Strips = Iterable<Uint8Array> | AsyncIterable<Uint8Array>

/** Hands out the same rows of both; false where rows are missing. */
export async function pairRows(
  raster: Raster,
  decoded: Strips,
  push: (reference: Uint8Array, candidate: Uint8Array) => void,
): Promise<boolean> {
  const strips = Symbol.asyncIterator in decoded ? decoded[Symbol.asyncIterator]() : decoded[Symbol.iterator]()
  let rest: Uint8Array = new Uint8Array()
  try {
    for await (const strip of raster.rows()) {
      for (let at = 0; at < strip.length; ) {
        if (rest.length === 0) {
          const next = await strips.next()
          if (next.done) return false
          rest = next.value
        }
        const length = Math.min(rest.length, strip.length - at)
        push(strip.subarray(at, at + length), rest.subarray(0, length))
        rest = rest.subarray(length)
        at += length
      }
    }
    return true
  } finally {
    // What decodes them has a memory to give back.
    await strips.return?.()
  }
}

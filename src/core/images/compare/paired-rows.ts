/** Pairs the rows of two pictures, which may be decoded in strips of different heights. */

/** Strips of whole rows. Each strip is valid until the next one is requested. */
export type Strips = Iterable<Uint8Array> | AsyncIterable<Uint8Array>

/** Passes the same rows of both pictures to `push`. Returns false if `candidate` has fewer rows than `reference`. */
export async function pairRows(
  reference: { rows(): AsyncIterable<Uint8Array> },
  candidate: Strips,
  push: (reference: Uint8Array, candidate: Uint8Array) => void,
): Promise<boolean> {
  const strips = Symbol.asyncIterator in candidate ? candidate[Symbol.asyncIterator]() : candidate[Symbol.iterator]()
  let rest: Uint8Array = new Uint8Array()
  try {
    for await (const strip of reference.rows()) {
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
    // Ends the candidate's decoder, which then frees its memory.
    await strips.return?.()
  }
}

/** Rows of two pictures in pairs, in the pieces in which both are decoded. */

/** Strips of whole rows; each holds until the next is asked for. */
export type Strips = Iterable<Uint8Array> | AsyncIterable<Uint8Array>

/** Hands the same rows of both pictures to `push`; false: `candidate` has fewer rows than `reference`. */
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
    // The decoder returns its memory.
    await strips.return?.()
  }
}

/** Returns the first index of `pattern` (at least one byte) in `bytes` at or after `from`. −1: not found. */
export function indexOfBytes(bytes: Uint8Array, pattern: Uint8Array, from = 0): number {
  const last = bytes.length - pattern.length
  const first = pattern[0]!
  for (let at = bytes.indexOf(first, from); at >= 0 && at <= last; at = bytes.indexOf(first, at + 1)) {
    let matched = 1
    while (matched < pattern.length && bytes[at + matched] === pattern[matched]) matched++
    if (matched === pattern.length) return at
  }
  return -1
}

export const startsWithBytes = (bytes: Uint8Array, pattern: Uint8Array) =>
  bytes.length >= pattern.length && pattern.every((byte, index) => bytes[index] === byte)

/** Returns the index of the last of the first `count` ascending starts that is not above `place`. 0: all are above it. */
export function lastStartUpTo(starts: ArrayLike<number>, count: number, place: number): number {
  let [low, high] = [0, count]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (starts[middle]! <= place) low = middle
    else high = middle
  }
  return low
}

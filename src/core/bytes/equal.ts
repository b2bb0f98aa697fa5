const WORD_BYTES = 4
/** Length in bytes from which comparing word by word is faster. */
const LONG_BYTES = 64

/** True if both have the same length and the same bytes. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  // Words can only be read at multiples of four.
  if (a.length < LONG_BYTES || (a.byteOffset - b.byteOffset) % WORD_BYTES !== 0) return equalByByte(a, b)
  const start = -a.byteOffset & (WORD_BYTES - 1)
  const words = Math.floor((a.length - start) / WORD_BYTES)
  const x = new Uint32Array(a.buffer, a.byteOffset + start, words)
  const y = new Uint32Array(b.buffer, b.byteOffset + start, words)
  for (let at = 0; at < words; at++) if (x[at] !== y[at]) return false
  const end = start + words * WORD_BYTES
  return equalByByte(a.subarray(0, start), b.subarray(0, start)) && equalByByte(a.subarray(end), b.subarray(end))
}

function equalByByte(a: Uint8Array, b: Uint8Array): boolean {
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false
  return true
}

/** True if both have the same length and the same bytes. The time does not tell where they differ. */
export function equalSecrets(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  let differences = 0
  for (let at = 0; at < a.length; at++) differences |= a[at]! ^ b[at]!
  return differences === 0
}

/** Tables of the two G.711 laws: byte to 16-bit sample, as decoders expand it, and 16-bit sample to nearest byte. */

function expandMulaw(byte: number): number {
  const code = ~byte & 0xff
  const magnitude = (((code & 15) << 3) + 0x84) << ((code >> 4) & 7)
  return code & 0x80 ? 0x84 - magnitude : magnitude - 0x84
}

function expandAlaw(byte: number): number {
  const code = byte ^ 0x55
  const exponent = (code >> 4) & 7
  const mantissa = (code & 15) << 4
  const magnitude = exponent === 0 ? mantissa + 8 : (mantissa + 0x108) << (exponent - 1)
  return code & 0x80 ? magnitude : -magnitude
}

export interface Law {
  /** 16-bit sample for each of the 256 byte values. */
  readonly expand: Int16Array
  /** Byte nearest to each 16-bit sample; index `sample + 32768`. */
  readonly compress: Uint8Array
}

function law(expandByte: (byte: number) => number): Law {
  const expand = Int16Array.from({ length: 256 }, (_, byte) => expandByte(byte))
  const bytes = Array.from({ length: 256 }, (_, byte) => byte).sort((a, b) => expand[a]! - expand[b]! || a - b)
  const compress = new Uint8Array(65536)
  let at = 0
  for (let sample = -32768; sample < 32768; sample++) {
    while (at + 1 < 256 && Math.abs(expand[bytes[at + 1]!]! - sample) <= Math.abs(expand[bytes[at]!]! - sample)) at++
    compress[sample + 32768] = bytes[at]!
  }
  return { expand, compress }
}

let laws: { alaw: Law; mulaw: Law } | undefined
/** Returns the tables of both G.711 laws. Builds them on first use. */
export function g711(): { alaw: Law; mulaw: Law } {
  laws ??= { alaw: law(expandAlaw), mulaw: law(expandMulaw) }
  return laws
}

/** Order of the bytes of samples in AIFF files. */
import type { Layout } from '../header.ts'

/** Converts samples to the order of WAVE: little-endian, 8 bits unsigned. Returns the input if it has that order. */
export function inRiffOrder(bytes: Uint8Array, { coding, bits, iff }: Layout): Uint8Array {
  if (!iff || coding === 'alaw' || coding === 'mulaw') return bytes
  if (bits === 8) return iff.isUnsigned8 ? bytes : bytes.map((byte) => byte ^ 0x80)
  return iff.isLittleEndian ? bytes : swapped(bytes, bits / 8)
}

/** Reverses the bytes of each word. */
export function swapped(bytes: Uint8Array, wordBytes: number): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(bytes.length)
  for (let at = 0; at + wordBytes <= bytes.length; at += wordBytes)
    for (let i = 0; i < wordBytes; i++) out[at + i] = bytes[at + wordBytes - 1 - i]!
  return out
}

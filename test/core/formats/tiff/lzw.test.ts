import { expect, test } from 'vitest'
import { LzwDecoder } from '../../../../src/core/containers/tiff/lzw.ts'
import { lzw } from './build-tiff.ts'

/** Runs, repeated rows and noise: strings from three bytes to hundreds, across boundaries of output and input blocks. */
function mixed(length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  let seed = 7
  for (let i = 0; i < length; i++) {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0
    const part = Math.floor(i / 20_000) % 3
    bytes[i] = part === 0 ? 0 : part === 1 ? (i % 37) * 3 : seed >>> 28
  }
  return bytes
}

test.each([
  ['one value', new Uint8Array(200_000).fill(9)],
  ['runs, repeats and noise', mixed(300_000)],
])('decodes LZW strings of any length: %s', (_, bytes) => {
  const packed = lzw(bytes)
  for (const piece of [packed.length, 1000, 7]) {
    const decoder = new LzwDecoder('tiff')
    const out: Uint8Array[] = []
    for (let at = 0; at < packed.length; at += piece) decoder.push(packed.subarray(at, at + piece), (part) => out.push(part))
    expect(Buffer.compare(Buffer.concat(out), bytes)).toBe(0)
  }
})

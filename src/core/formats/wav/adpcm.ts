/** Codings whose samples come in blocks: both kinds of ADPCM, IMA's and Microsoft's. */
import { decodeIma, imaBlockSamples, product } from './ima.ts'
import { decodeMs, msBlockSamples } from './ms-adpcm.ts'

export interface Adpcm {
  /** Samples a channel of a block of so many bytes, or of the part of it that is there; 0 without a whole head. */
  blockSamples(bytes: number, channels: number): number
  /** Decodes one block (it may be short) to interleaved 16-bit samples. */
  decode(block: Uint8Array, channels: number): Int32Array
}

// Most IMA files come from FFmpeg's encoder, which predicts as its decoder does.
const ima: Adpcm = { blockSamples: imaBlockSamples, decode: (block, channels) => decodeIma(block, channels, product) }
const ms: Adpcm = { blockSamples: msBlockSamples, decode: decodeMs }

export const adpcm = (coding: string): Adpcm | undefined => (coding === 'ima' ? ima : coding === 'ms' ? ms : undefined)

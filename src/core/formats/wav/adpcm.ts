/** Block-based ADPCM codings of WAVE files: IMA and Microsoft. */
import { decodeIma, ffmpegDifference, imaBlockSamples } from './ima.ts'
import { decodeMs, msBlockSamples } from './ms-adpcm.ts'

export interface Adpcm {
  /** Samples per channel in a block of `bytes` bytes, which may be incomplete. 0 without a complete block header. */
  blockSamples(bytes: number, channels: number): number
  /** Decodes one block, which may be short, to interleaved 16-bit samples. */
  decode(block: Uint8Array, channels: number): Int32Array
}

// Most IMA files come from FFmpeg's encoder, which predicts by one multiplication, as its decoder does.
const ima: Adpcm = { blockSamples: imaBlockSamples, decode: (block, channels) => decodeIma(block, channels, ffmpegDifference) }
const ms: Adpcm = { blockSamples: msBlockSamples, decode: decodeMs }

export const adpcm = (coding: string): Adpcm | undefined => (coding === 'ima' ? ima : coding === 'ms' ? ms : undefined)

import { describeWavFloors, describeWavMp3 } from '../describe.ts'
import type { Format } from '../format.ts'

export const WAV = {
  id: 'wav',
  title: 'WAV',
  family: 'audio',
  extensions: ['wav', 'wave', 'bwf', 'rf64'],
  mimeTypes: ['audio/wav'],
  outputs: ['wav', 'mp3', 'flac', 'opus'],
  metadata: true,
  fidelity: 'perceptual',
  levels: {
    low: `the smallest of IMA ADPCM, G.711 and 16-bit PCM whose signal-to-noise ratio is ${describeWavFloors()}; output MP3: ${describeWavMp3('low')}`,
    medium: `PCM: lossless, or dithered to 16 or 24 bits if the noise is inaudible; output MP3: ${describeWavMp3('medium')}`,
    high: `PCM or float, lossless: the fewest bits that store the same samples; output MP3: ${describeWavMp3('high')}`,
  },
} as const satisfies Format

import { wavFloors, wavMp3 } from '../describe.ts'
import type { Format } from '../format.ts'

export const WAV = {
  id: 'wav',
  title: 'WAV',
  family: 'audio',
  extensions: ['wav', 'wave', 'bwf', 'rf64'],
  mimeTypes: ['audio/wav'],
  outputs: ['wav', 'mp3', 'flac'],
  fidelity: 'perceptual',
  levels: {
    low: `IMA ADPCM, G.711 or 16 bits, the smallest with a signal-to-noise ratio of ${wavFloors()}; ${wavMp3('low')}`,
    medium: `PCM: exact, or 16 or 24 dithered bits where their hiss lies below what the sound hides or an ear hears; ${wavMp3('medium')}`,
    high: `PCM or float, exact: the fewest bits that hold the same samples; ${wavMp3('high')}`,
  },
} as const satisfies Format

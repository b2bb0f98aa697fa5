import type { Format } from '../format.ts'

export const WAV = {
  id: 'wav',
  title: 'WAV',
  family: 'audio',
  extensions: ['wav', 'wave', 'bwf', 'rf64'],
  mimeTypes: ['audio/wav'],
  worker: 'media',
  quickUpTo: 0,
  outputs: ['wav', 'mp3', 'flac'],
  fidelity: 'perceptual',
  levels: {
    low: 'IMA ADPCM, G.711 or 16 bits, the smallest with a signal-to-noise ratio of at least 20 (ADPCM), 26 or 40 dB; MP3 -V6',
    medium: 'PCM: exact, or 16 or 24 dithered bits where their hiss lies below what the sound hides or an ear hears; MP3 -V3',
    high: 'PCM or float, exact: the fewest bits that hold the same samples; MP3 -V0',
  },
} as const satisfies Format

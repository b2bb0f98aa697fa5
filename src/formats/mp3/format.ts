import type { Format } from '../format.ts'

export const MP3 = {
  id: 'mp3',
  title: 'MP3',
  family: 'audio',
  extensions: ['mp3'],
  mimeTypes: ['audio/mpeg'],
  worker: 'media',
  quickUpTo: 0,
  outputs: ['mp3'],
  fidelity: 'perceptual',
  levels: {
    low: 'LAME -V6 to -V8 by the bit rate that came in, where it saves at least 7 %; else as high',
    medium: 'LAME -V4 from 184 kbit/s (stereo) on, where it saves at least 7 %; else as high',
    high: 'lossless: frames repacked to the smallest sizes, dead padding dropped',
  },
} as const satisfies Format

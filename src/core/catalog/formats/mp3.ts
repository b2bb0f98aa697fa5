import { lame, leastSaved, leastStereo } from '../describe.ts'
import type { Format } from '../format.ts'

export const MP3 = {
  id: 'mp3',
  title: 'MP3',
  family: 'audio',
  extensions: ['mp3'],
  mimeTypes: ['audio/mpeg'],
  outputs: ['mp3'],
  fidelity: 'perceptual',
  levels: {
    low: `${lame('low')} by the bit rate that came in, where it saves ${leastSaved()}; else as high`,
    medium: `${lame('medium')} from ${leastStereo('medium')} (stereo) on, where it saves ${leastSaved()}; else as high`,
    high: 'lossless: frames repacked to the smallest sizes, dead padding dropped',
  },
} as const satisfies Format

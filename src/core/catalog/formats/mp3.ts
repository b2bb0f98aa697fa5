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
    low: `${lame('low')}, depending on the input's bit rate, if it saves ${leastSaved()}; otherwise as \`high\``,
    medium: `${lame('medium')} for inputs from ${leastStereo('medium')} (stereo), if it saves ${leastSaved()}; otherwise as \`high\``,
    high: 'lossless: frames are repacked to the smallest size, unused padding is removed',
  },
} as const satisfies Format

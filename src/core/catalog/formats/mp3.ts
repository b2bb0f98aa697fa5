import { describeLeastSaving, describeLowestStereoBitrate, describeMp3Settings } from '../describe.ts'
import type { Format } from '../format.ts'

export const MP3 = {
  id: 'mp3',
  title: 'MP3',
  family: 'audio',
  extensions: ['mp3'],
  mimeTypes: ['audio/mpeg'],
  outputs: ['mp3'],
  metadata: true,
  fidelity: 'perceptual',
  levels: {
    low: `${describeMp3Settings('low')}, depending on the input's bit rate, if it saves ${describeLeastSaving()}; otherwise as \`high\``,
    medium: `${describeMp3Settings('medium')} for inputs from ${describeLowestStereoBitrate('medium')} (stereo), if it saves ${describeLeastSaving()}; otherwise as \`high\``,
    high: 'lossless: frames are repacked to the smallest size, unused padding is removed',
  },
} as const satisfies Format

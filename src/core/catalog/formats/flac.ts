import { describeConvertedSound } from '../describe.ts'
import type { Format } from '../format.ts'

export const FLAC = {
  id: 'flac',
  title: 'FLAC',
  family: 'audio',
  extensions: ['flac'],
  mimeTypes: ['audio/flac', 'audio/x-flac'],
  magic: [{ offset: 0, bytes: [0x66, 0x4c, 0x61, 0x43] }],
  outputs: ['flac', 'm4a', 'mp3', 'opus'],
  metadata: true,
  fidelity: 'perceptual',
  gentlerIsLarger: true,
  levels: {
    low: `lossless: the same samples; ${describeConvertedSound('low')}`,
    medium: `lossless: the same samples; ${describeConvertedSound('medium')}`,
    high: `lossless: the same samples; ${describeConvertedSound('high')}`,
  },
} as const satisfies Format

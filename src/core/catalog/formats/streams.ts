import { describeFilmTarget } from '../describe.ts'
import type { Format } from '../format.ts'

/** What both formats have in common: MP4 on request, compressed like an MP4 film. */
const STREAM = {
  family: 'video',
  outputs: ['mp4', 'zst', 'br', 'gz'],
  lossyOutputs: ['mp4'],
  isOnRequest: true,
  fidelity: 'perceptual',
  levels: {
    low: `output MP4: ${describeFilmTarget('low', ' at least')}, sound as in MP4`,
    medium: `output MP4: ${describeFilmTarget('medium')}, sound as in MP4`,
    high: `output MP4: ${describeFilmTarget('high')}, sound as in MP4`,
  },
} as const

/** MPEG transport streams (ISO/IEC 13818-1), with packets of 188 or 192 bytes. */
export const TS = {
  ...STREAM,
  id: 'ts',
  title: 'MPEG transport stream',
  extensions: ['ts', 'm2ts', 'mts', 'm2t'],
  mimeTypes: ['video/mp2t'],
} as const satisfies Format

/** Flash video (Video File Format Specification 10.1). */
export const FLV = {
  ...STREAM,
  id: 'flv',
  title: 'Flash video',
  extensions: ['flv'],
  mimeTypes: ['video/x-flv'],
  magic: [{ offset: 0, bytes: [0x46, 0x4c, 0x56, 1] }],
} as const satisfies Format

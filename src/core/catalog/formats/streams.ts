import { describeFilmTarget } from '../describe.ts'
import type { Format } from '../format.ts'

const LEVELS = {
  low: `output MP4: ${describeFilmTarget('low', ' at least')}, sound as in MP4`,
  medium: `output MP4: ${describeFilmTarget('medium')}, sound as in MP4`,
  high: `output MP4: ${describeFilmTarget('high')}, sound as in MP4`,
} as const

/** MPEG transport streams (ISO/IEC 13818-1), with packets of 188 or 192 bytes. */
export const TS = {
  id: 'ts',
  title: 'MPEG transport stream',
  family: 'video',
  extensions: ['ts', 'm2ts', 'mts', 'm2t'],
  mimeTypes: ['video/mp2t'],
  outputs: ['mp4', 'zst', 'br', 'gz'],
  lossyOutputs: ['mp4'],
  isOnRequest: true,
  fidelity: 'perceptual',
  levels: LEVELS,
} as const satisfies Format

/** Flash video (Video File Format Specification 10.1). */
export const FLV = {
  id: 'flv',
  title: 'Flash video',
  family: 'video',
  extensions: ['flv'],
  mimeTypes: ['video/x-flv'],
  magic: [{ offset: 0, bytes: [0x46, 0x4c, 0x56, 1] }],
  outputs: ['mp4', 'zst', 'br', 'gz'],
  lossyOutputs: ['mp4'],
  isOnRequest: true,
  fidelity: 'perceptual',
  levels: LEVELS,
} as const satisfies Format

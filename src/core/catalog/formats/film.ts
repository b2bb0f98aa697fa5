import { aac, fatAac, filmMp3, frames } from '../describe.ts'
import type { Format } from '../format.ts'

const LEVELS = {
  low: `${frames('low', ' at least')}, uncompressed sound and ${fatAac()} as ${aac('low')}; lean tracks copied`,
  medium: `${frames('medium')}, ${aac('medium')}; lean tracks copied`,
  high: `${frames('high')}, ${aac('high')}; lean tracks copied, dead space dropped`,
} as const

/** A telephone's whole screen, 1080×2400: more does not fit beside a decoder into the memory of an isolate. And cinema's 4K, either way up. */
export const MOST_PIXELS = { isolate: 1088 * 2400, roomy: 4096 * 2304 } as const

export const MP4 = {
  id: 'mp4',
  title: 'MP4',
  family: 'video',
  extensions: ['mp4', 'm4v', 'm4a'],
  mimeTypes: ['video/mp4'],
  outputs: ['mp4', 'mov'],
  mostPixels: MOST_PIXELS,
  fidelity: 'perceptual',
  levels: LEVELS,
} as const satisfies Format

export const MOV = {
  id: 'mov',
  title: 'QuickTime',
  family: 'video',
  extensions: ['mov', 'qt'],
  mimeTypes: ['video/quicktime'],
  outputs: ['mov', 'mp4'],
  mostPixels: MOST_PIXELS,
  fidelity: 'perceptual',
  levels: LEVELS,
} as const satisfies Format

export const AVI = {
  id: 'avi',
  title: 'AVI',
  family: 'video',
  extensions: ['avi'],
  mimeTypes: ['video/x-msvideo'],
  outputs: ['avi', 'mp4', 'mov'],
  mostPixels: MOST_PIXELS,
  fidelity: 'perceptual',
  levels: {
    low: `${frames('low', ' at least')}, uncompressed sound as ${filmMp3('low')}; the rest copied`,
    medium: `${frames('medium')}, uncompressed sound as ${filmMp3('medium')}; the rest copied`,
    high: `${frames('high')}, uncompressed sound as ${filmMp3('high')}; the rest copied, dead space dropped`,
  },
} as const satisfies Format

import { aac, fatAac, filmMp3, frames } from '../describe.ts'
import type { Format } from '../format.ts'

const LEVELS = {
  low: `${frames('low', ' at least')}; uncompressed sound and ${fatAac()} become ${aac('low')}; efficient tracks are copied`,
  medium: `${frames('medium')}; ${aac('medium')}; efficient tracks are copied`,
  high: `${frames('high')}; ${aac('high')}; efficient tracks are copied, unused space is removed`,
} as const

/**
 * Largest frame. In an isolate: 1088 × 2400 pixels (a phone screen of 1080 × 2400), because memory is shared with a decoder. With 1 GB of
 * memory: cinema 4K, 4096 × 2304.
 */
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
    low: `${frames('low', ' at least')}; uncompressed sound becomes ${filmMp3('low')}; other tracks are copied`,
    medium: `${frames('medium')}; uncompressed sound becomes ${filmMp3('medium')}; other tracks are copied`,
    high: `${frames('high')}; uncompressed sound becomes ${filmMp3('high')}; other tracks are copied, unused space is removed`,
  },
} as const satisfies Format

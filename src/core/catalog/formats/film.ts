import { describeAac, describeFilmMp3, describeFilmTarget, describeOversizedAac, describeWavMp3 } from '../describe.ts'
import type { Format } from '../format.ts'

const LEVELS = {
  low: `${describeFilmTarget('low', ' at least')}; uncompressed sound and ${describeOversizedAac()} become ${describeAac('low')}; efficient tracks are copied`,
  medium: `${describeFilmTarget('medium')}; ${describeAac('medium')}; efficient tracks are copied`,
  high: `${describeFilmTarget('high')}; ${describeAac('high')}; efficient tracks are copied, unused space is removed`,
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
  extensions: ['mp4', 'm4v'],
  mimeTypes: ['video/mp4'],
  outputs: ['mp4', 'mov'],
  mostPixels: MOST_PIXELS,
  metadata: true,
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
  metadata: true,
  fidelity: 'perceptual',
  levels: LEVELS,
} as const satisfies Format

/** MP4 files with sound alone. Lossless sound (ALAC) stays as it is, or becomes FLAC without loss. */
export const M4A = {
  id: 'm4a',
  title: 'M4A',
  family: 'audio',
  extensions: ['m4a', 'm4b', 'm4r'],
  mimeTypes: ['audio/mp4', 'audio/x-m4a'],
  outputs: ['m4a', 'mp4', 'mp3', 'flac', 'opus'],
  metadata: true,
  fidelity: 'perceptual',
  levels: {
    low: `${describeOversizedAac()} becomes ${describeAac('low')}; other sound is copied, unused space is removed; output MP3: ${describeWavMp3('low')}`,
    medium: `${describeOversizedAac()} becomes ${describeAac('medium')}; other sound is copied, unused space is removed; output MP3: ${describeWavMp3('medium')}`,
    high: `lossless: sound is copied, unused space is removed; output MP3: ${describeWavMp3('high')}`,
  },
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
    low: `${describeFilmTarget('low', ' at least')}; uncompressed sound becomes ${describeFilmMp3('low')}; other tracks are copied`,
    medium: `${describeFilmTarget('medium')}; uncompressed sound becomes ${describeFilmMp3('medium')}; other tracks are copied`,
    high: `${describeFilmTarget('high')}; uncompressed sound becomes ${describeFilmMp3('high')}; other tracks are copied, unused space is removed`,
  },
} as const satisfies Format

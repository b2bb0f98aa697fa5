import { describeFilmTarget } from '../describe.ts'
import type { Format } from '../format.ts'

const LEVELS = {
  low: `lossless; output MP4: ${describeFilmTarget('low', ' at least')}, other tracks as MP4`,
  medium: `lossless; output MP4: ${describeFilmTarget('medium')}, other tracks as MP4`,
  high: `lossless; output MP4: ${describeFilmTarget('high')}, other tracks as MP4`,
} as const

/** Matroska files (RFC 9559). */
export const MKV = {
  id: 'mkv',
  title: 'Matroska',
  family: 'video',
  extensions: ['mkv', 'mka', 'mks', 'mk3d'],
  mimeTypes: ['video/x-matroska', 'video/matroska', 'audio/x-matroska', 'audio/matroska'],
  outputs: ['mkv', 'mp4'],
  lossyOutputs: ['mp4'],
  metadata: true,
  fidelity: 'perceptual',
  levels: LEVELS,
} as const satisfies Format

/** Matroska files of the document type `webm`. */
export const WEBM = {
  id: 'webm',
  title: 'WebM',
  family: 'video',
  extensions: ['webm', 'weba'],
  mimeTypes: ['video/webm', 'audio/webm'],
  outputs: ['webm', 'mp4'],
  lossyOutputs: ['mp4'],
  metadata: true,
  fidelity: 'perceptual',
  levels: LEVELS,
} as const satisfies Format

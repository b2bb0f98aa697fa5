import type { Format } from '../format.ts'

/** Matroska files (RFC 9559). */
export const MKV = {
  id: 'mkv',
  title: 'Matroska',
  family: 'video',
  extensions: ['mkv', 'mka', 'mks', 'mk3d'],
  mimeTypes: ['video/x-matroska', 'video/matroska', 'audio/x-matroska', 'audio/matroska'],
  outputs: ['mkv', 'mp4'],
  fidelity: 'lossless',
} as const satisfies Format

/** Matroska files of the document type `webm`. */
export const WEBM = {
  id: 'webm',
  title: 'WebM',
  family: 'video',
  extensions: ['webm', 'weba'],
  mimeTypes: ['video/webm', 'audio/webm'],
  outputs: ['webm', 'mp4'],
  fidelity: 'lossless',
} as const satisfies Format

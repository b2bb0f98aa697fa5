import type { Format } from '../format.ts'

export const FLAC = {
  id: 'flac',
  title: 'FLAC',
  family: 'audio',
  extensions: ['flac'],
  mimeTypes: ['audio/flac', 'audio/x-flac'],
  magic: [{ offset: 0, bytes: [0x66, 0x4c, 0x61, 0x43] }],
  outputs: ['flac'],
  metadata: true,
  fidelity: 'lossless',
} as const satisfies Format

import type { Format } from '../format.ts'

export const OFD = {
  id: 'ofd',
  title: 'OFD (GB/T 33190)',
  family: 'document',
  extensions: ['ofd'],
  mimeTypes: ['application/ofd'],
  worker: 'press',
  quickUpTo: 2097152,
  outputs: ['ofd'],
  fidelity: 'perceptual',
  ultra: true,
} as const satisfies Format

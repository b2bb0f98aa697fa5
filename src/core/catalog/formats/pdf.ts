import type { Format } from '../format.ts'

export const PDF = {
  id: 'pdf',
  title: 'PDF',
  family: 'document',
  extensions: ['pdf'],
  mimeTypes: ['application/pdf'],
  outputs: ['pdf'],
  metadata: true,
  scored: true,
  hasEfforts: true,
  hasPages: true,
  fidelity: 'perceptual',
  password: 'pdf',
} as const satisfies Format

import type { Format } from '../format.ts'

export const PPTX = {
  id: 'pptx',
  title: 'PowerPoint (PPTX)',
  family: 'document',
  extensions: ['pptx', 'pptm', 'potx', 'potm', 'ppsx', 'ppsm'],
  mimeTypes: ['application/vnd.openxmlformats-officedocument.presentationml.presentation'],
  worker: 'press',
  quickUpTo: 2097152,
  outputs: ['pptx'],
  fidelity: 'perceptual',
  ultra: true,
  password: 'ooxml',
} as const satisfies Format

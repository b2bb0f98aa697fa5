import type { Format } from '../format.ts'

export const DOCX = {
  id: 'docx',
  title: 'Word (DOCX)',
  family: 'document',
  extensions: ['docx', 'docm', 'dotx', 'dotm'],
  mimeTypes: ['application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  worker: 'press',
  quickUpTo: 2097152,
  outputs: ['docx'],
  fidelity: 'perceptual',
  ultra: true,
  password: 'ooxml',
} as const satisfies Format

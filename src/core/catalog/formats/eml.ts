import type { Format } from '../format.ts'

export const EML = {
  id: 'eml',
  title: 'Mail (EML)',
  family: 'mail',
  extensions: ['eml'],
  mimeTypes: ['message/rfc822'],
  outputs: ['zst', 'br', 'gz', 'eml'],
  fidelity: 'lossless',
} as const satisfies Format

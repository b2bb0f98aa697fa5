import type { Format } from '../format.ts'

/** Any file that no other format recognises. It is packed only if the caller asks for one of these outputs. */
export const DATA = {
  id: 'data',
  title: 'Other data',
  family: 'data',
  extensions: ['bin'],
  mimeTypes: ['application/octet-stream'],
  outputs: ['zst', 'br', 'gz'],
  isOnRequest: true,
  fidelity: 'lossless',
} as const satisfies Format

import type { Format } from '../format.ts'

export const EPUB = {
  id: 'epub',
  title: 'EPUB',
  family: 'ebook',
  extensions: ['epub'],
  mimeTypes: ['application/epub+zip'],
  worker: 'press',
  quickUpTo: 2097152,
  outputs: ['epub'],
  fidelity: 'perceptual',
} as const satisfies Format

import type { Format } from '../format.ts'

export const EPUB = {
  id: 'epub',
  title: 'EPUB',
  family: 'ebook',
  extensions: ['epub'],
  mimeTypes: ['application/epub+zip'],
  outputs: ['epub'],
  metadata: true,
  scored: true,
  hasEfforts: true,
  fidelity: 'perceptual',
  levels: {
    low: 'pictures as small as possible that still look clean; everything else is lossless',
    medium: 'pictures without visible difference at normal viewing size',
    high: 'pictures without visible difference at 100 %',
  },
} as const satisfies Format

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
  levels: {
    low: 'pictures as small as still look clean, at 150 dpi of what is shown; opaque PNG photos as JPEG; everything else exact',
    medium: 'pictures without visible difference at normal size, at 200 dpi of what is shown; opaque PNG photos as JPEG',
    high: 'pictures without visible difference at 100 %, at 300 dpi of what is shown',
    ultra: 'as low, at 96 dpi; pictures cropped, duplicates merged, unused glyphs, thumbnails and unused slide layouts left out',
  },
} as const satisfies Format

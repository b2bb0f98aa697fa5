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
  levels: {
    low: 'pictures as small as still look clean, at 150 dpi of what is shown; opaque PNG photos as JPEG; everything else exact',
    medium: 'pictures without visible difference at normal size, at 200 dpi of what is shown; opaque PNG photos as JPEG',
    high: 'pictures without visible difference at 100 %, at 300 dpi of what is shown',
    ultra: 'as low, at 96 dpi; pictures cropped, duplicates merged, unused glyphs and thumbnails left out',
  },
} as const satisfies Format

import { shownDpi } from '../describe.ts'
import type { Format } from '../format.ts'

const LEVELS = {
  low: `pictures as small as still look clean, at ${shownDpi('low')} of what is shown; opaque PNG photos as JPEG; everything else exact`,
  medium: `pictures without visible difference at normal size, at ${shownDpi('medium')} of what is shown; opaque PNG photos as JPEG`,
  high: `pictures without visible difference at 100 %, at ${shownDpi('high')} of what is shown`,
  ultra: `as low, at ${shownDpi('ultra')}; pictures cropped, duplicates merged, unused glyphs and thumbnails left out`,
} as const

export const DOCX = {
  id: 'docx',
  title: 'Word (DOCX)',
  family: 'document',
  extensions: ['docx', 'docm', 'dotx', 'dotm'],
  mimeTypes: ['application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  outputs: ['docx'],
  fidelity: 'perceptual',
  ultra: true,
  password: 'ooxml',
  levels: LEVELS,
} as const satisfies Format

export const XLSX = {
  id: 'xlsx',
  title: 'Excel (XLSX)',
  family: 'document',
  extensions: ['xlsx', 'xlsm', 'xltx', 'xltm'],
  mimeTypes: ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  outputs: ['xlsx'],
  fidelity: 'perceptual',
  ultra: true,
  password: 'ooxml',
  levels: LEVELS,
} as const satisfies Format

export const PPTX = {
  id: 'pptx',
  title: 'PowerPoint (PPTX)',
  family: 'document',
  extensions: ['pptx', 'pptm', 'potx', 'potm', 'ppsx', 'ppsm'],
  mimeTypes: ['application/vnd.openxmlformats-officedocument.presentationml.presentation'],
  outputs: ['pptx'],
  fidelity: 'perceptual',
  ultra: true,
  password: 'ooxml',
  levels: {
    ...LEVELS,
    ultra: `as low, at ${shownDpi('ultra')}; pictures cropped, duplicates merged, unused glyphs, thumbnails and unused slide layouts left out`,
  },
} as const satisfies Format

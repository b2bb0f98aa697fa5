import { describeResolution } from '../describe.ts'
import type { Format } from '../format.ts'

const LEVELS = {
  low: `pictures as small as possible that still look clean, at ${describeResolution('low')} on the page; opaque PNG photos become JPEG; everything else is lossless`,
  medium: `pictures without visible difference at normal viewing size, at ${describeResolution('medium')} on the page; opaque PNG photos become JPEG`,
  high: `pictures without visible difference at 100 %, at ${describeResolution('high')} on the page`,
  ultra: `as \`low\`, at ${describeResolution('ultra')} on the page; pictures are cropped, duplicates merged, unused glyphs and thumbnails removed`,
} as const

export const DOCX = {
  id: 'docx',
  title: 'Word (DOCX)',
  family: 'document',
  extensions: ['docx', 'docm', 'dotx', 'dotm'],
  mimeTypes: ['application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  outputs: ['docx'],
  metadata: true,
  scored: true,
  hasEfforts: true,
  hasPages: true,
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
  metadata: true,
  scored: true,
  hasEfforts: true,
  hasPages: true,
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
  metadata: true,
  scored: true,
  hasEfforts: true,
  hasPages: true,
  fidelity: 'perceptual',
  ultra: true,
  password: 'ooxml',
  levels: {
    ...LEVELS,
    ultra: `as \`low\`, at ${describeResolution('ultra')} on the page; pictures are cropped, duplicates merged, unused glyphs, thumbnails and unused slide layouts removed`,
  },
} as const satisfies Format

/** Binary Office documents (Office 97 to 2003) in compound files ([MS-DOC], [MS-XLS], [MS-PPT]). */
import { describeResolution } from '../describe.ts'
import type { Format } from '../format.ts'

const SHARED = {
  family: 'document',
  hasEfforts: true,
  gentlerIsLarger: true,
} as const
const PICTURES = {
  ...SHARED,
  scored: true,
  fidelity: 'perceptual',
} as const

export const DOC = {
  ...SHARED,
  id: 'doc',
  title: 'Word 97–2003 (DOC)',
  extensions: ['doc', 'dot'],
  mimeTypes: ['application/msword'],
  outputs: ['doc', 'zst', 'br', 'gz'],
  fidelity: 'lossless',
} as const satisfies Format

export const XLS = {
  ...PICTURES,
  id: 'xls',
  title: 'Excel 97–2003 (XLS)',
  extensions: ['xls', 'xlt'],
  mimeTypes: ['application/vnd.ms-excel'],
  outputs: ['xls', 'zst', 'br', 'gz'],
  lossyOutputs: ['xls'],
  levels: {
    low: 'pictures as small as possible that still look clean; opaque PNG photos and bitmaps become JPEG; everything else is lossless',
    medium: 'pictures without visible difference at normal viewing size; opaque PNG photos and bitmaps become JPEG',
    high: 'pictures without visible difference at 100 %; bitmaps become PNG',
  },
} as const satisfies Format

export const PPT = {
  ...PICTURES,
  id: 'ppt',
  title: 'PowerPoint 97–2003 (PPT)',
  extensions: ['ppt', 'pot', 'pps'],
  mimeTypes: ['application/vnd.ms-powerpoint'],
  outputs: ['ppt', 'zst', 'br', 'gz'],
  lossyOutputs: ['ppt'],
  hasPages: true,
  levels: {
    low: `pictures as small as possible that still look clean, at ${describeResolution('low')} on the slide; opaque PNG photos and bitmaps become JPEG; everything else is lossless`,
    medium: `pictures without visible difference at normal viewing size, at ${describeResolution('medium')} on the slide; opaque PNG photos and bitmaps become JPEG`,
    high: `pictures without visible difference at 100 %, at ${describeResolution('high')} on the slide; bitmaps become PNG`,
  },
} as const satisfies Format

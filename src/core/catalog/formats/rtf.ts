import { describeResolution } from '../describe.ts'
import type { Format } from '../format.ts'

/** Rich Text Format (RTF 1.9.1). */
export const RTF = {
  id: 'rtf',
  title: 'Rich Text (RTF)',
  family: 'document',
  extensions: ['rtf'],
  mimeTypes: ['application/rtf', 'text/rtf'],
  magic: [{ offset: 0, bytes: [0x7b, 0x5c, 0x72, 0x74, 0x66] }],
  outputs: ['rtf', 'zst', 'br', 'gz'],
  scored: true,
  hasEfforts: true,
  hasPages: true,
  fidelity: 'perceptual',
  lossyOutputs: ['rtf'],
  gentlerIsLarger: true,
  levels: {
    low: `pictures as small as possible that still look clean, at ${describeResolution('low')} on the page; opaque PNG photos become JPEG; everything else stays byte for byte`,
    medium: `pictures without visible difference at normal viewing size, at ${describeResolution('medium')} on the page; opaque PNG photos become JPEG`,
    high: `pictures without visible difference at 100 %, at ${describeResolution('high')} on the page`,
  },
} as const satisfies Format

import { describeResolution } from '../describe.ts'
import type { Format } from '../format.ts'

export const OFD = {
  id: 'ofd',
  title: 'OFD (GB/T 33190)',
  family: 'document',
  extensions: ['ofd'],
  mimeTypes: ['application/ofd'],
  outputs: ['ofd'],
  scored: true,
  hasEfforts: true,
  hasPages: true,
  fidelity: 'perceptual',
  ultra: true,
  levels: {
    low: `pictures as small as possible that still look clean, at ${describeResolution('low')} on the page; everything else is lossless`,
    medium: `pictures without visible difference at normal viewing size, at ${describeResolution('medium')} on the page`,
    high: `pictures without visible difference at 100 %, at ${describeResolution('high')} on the page`,
    ultra: `as \`low\`, at ${describeResolution('ultra')} on the page; identical pictures and fonts are merged`,
  },
} as const satisfies Format

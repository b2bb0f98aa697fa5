import { shownDpi } from '../describe.ts'
import type { Format } from '../format.ts'

export const OFD = {
  id: 'ofd',
  title: 'OFD (GB/T 33190)',
  family: 'document',
  extensions: ['ofd'],
  mimeTypes: ['application/ofd'],
  outputs: ['ofd'],
  fidelity: 'perceptual',
  ultra: true,
  levels: {
    low: `pictures as small as possible that still look clean, at ${shownDpi('low')} on the page; everything else is lossless`,
    medium: `pictures without visible difference at normal viewing size, at ${shownDpi('medium')} on the page`,
    high: `pictures without visible difference at 100 %, at ${shownDpi('high')} on the page`,
    ultra: `as \`low\`, at ${shownDpi('ultra')} on the page; identical pictures and fonts are merged`,
  },
} as const satisfies Format

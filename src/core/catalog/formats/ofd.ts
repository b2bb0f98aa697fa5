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
    low: `pictures as small as still look clean, at ${shownDpi('low')} of what pages show; everything else exact`,
    medium: `pictures without visible difference at normal size, at ${shownDpi('medium')} of what pages show`,
    high: `pictures without visible difference at 100 %, at ${shownDpi('high')} of what pages show`,
    ultra: `as low, at ${shownDpi('ultra')} of what pages show; equal pictures and fonts merged`,
  },
} as const satisfies Format

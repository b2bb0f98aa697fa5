import type { Format } from '../format.ts'

export const OFD = {
  id: 'ofd',
  title: 'OFD (GB/T 33190)',
  family: 'document',
  extensions: ['ofd'],
  mimeTypes: ['application/ofd'],
  worker: 'press',
  quickUpTo: 2097152,
  outputs: ['ofd'],
  fidelity: 'perceptual',
  ultra: true,
  levels: {
    low: 'pictures as small as still look clean, at 150 dpi of what pages show; everything else exact',
    medium: 'pictures without visible difference at normal size, at 200 dpi of what pages show',
    high: 'pictures without visible difference at 100 %, at 300 dpi of what pages show',
    ultra: 'as low, at 96 dpi of what pages show; equal pictures and fonts merged',
  },
} as const satisfies Format

import { describeAnimationTarget } from '../describe.ts'
import type { Format } from '../format.ts'
import { CONVERTED_PICTURES } from '../output-table.ts'

export const GIF = {
  id: 'gif',
  title: 'GIF',
  family: 'image',
  extensions: ['gif'],
  mimeTypes: ['image/gif'],
  magic: [
    { offset: 0, bytes: [0x47, 0x49, 0x46, 0x38, 0x37, 0x61] },
    { offset: 0, bytes: [0x47, 0x49, 0x46, 0x38, 0x39, 0x61] },
  ],
  outputs: ['gif', 'jpg', 'png', ...CONVERTED_PICTURES],
  mostPixels: { isolate: 110_000_000, roomy: 268_435_456 },
  metadata: true,
  resizes: true,
  scored: true,
  fidelity: 'perceptual',
  levels: {
    low: `${describeAnimationTarget('low')}; flat areas are lossless`,
    medium: `${describeAnimationTarget('medium')}; flat areas are lossless`,
    high: 'lossless',
  },
} as const satisfies Format

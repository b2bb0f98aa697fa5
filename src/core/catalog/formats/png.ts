import { describePaletteTarget } from '../describe.ts'
import type { Format } from '../format.ts'
import { CONVERTED_PICTURES } from '../output-table.ts'

export const PNG = {
  id: 'png',
  title: 'PNG and APNG',
  family: 'image',
  extensions: ['png', 'apng'],
  mimeTypes: ['image/png', 'image/apng'],
  magic: [{ offset: 0, bytes: [0x89, 0x50, 0x4e, 0x47, 0xd, 0xa, 0x1a, 0xa] }],
  outputs: ['png', 'jpg', ...CONVERTED_PICTURES],
  holds: { alpha: true, bits: 16, frames: true, metadata: ['icc', 'exif', 'xmp'] },
  mostPixels: { isolate: 110_000_000, roomy: 268_435_456 },
  metadata: true,
  resizes: true,
  scored: true,
  hasEfforts: true,
  fidelity: 'perceptual',
  levels: {
    low: `${describePaletteTarget('low')}, or 8 bits per sample; lossless if neither reaches this; animations are lossless`,
    medium: `${describePaletteTarget('medium')}, or 8 bits per sample; lossless if neither reaches this; animations are lossless`,
    high: 'lossless',
  },
} as const satisfies Format

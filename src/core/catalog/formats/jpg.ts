import { describePictureTarget } from '../describe.ts'
import type { Format } from '../format.ts'
import { CONVERTED_PICTURES } from '../output-table.ts'

export const JPG = {
  id: 'jpg',
  title: 'JPEG',
  family: 'image',
  extensions: ['jpg', 'jpeg', 'jpe', 'jfif'],
  mimeTypes: ['image/jpeg'],
  magic: [{ offset: 0, bytes: [0xff, 0xd8, 0xff] }],
  outputs: ['jpg', 'png', ...CONVERTED_PICTURES],
  holds: { alpha: false, bits: 8, frames: false, metadata: ['icc', 'exif', 'xmp'] },
  mostPixels: { isolate: 268_435_456, roomy: 268_435_456 },
  metadata: true,
  resizes: true,
  scored: true,
  hasEfforts: true,
  fidelity: 'perceptual',
  levels: {
    low: `${describePictureTarget('low')}: the smallest result that still looks clean`,
    medium: `${describePictureTarget('medium')}: no visible difference at normal viewing size`,
    high: `${describePictureTarget('high')}: no visible difference at 100 %`,
  },
} as const satisfies Format

import { describePictureTarget } from '../describe.ts'
import type { Format } from '../format.ts'
import { PICTURE_FACTS } from '../output-table.ts'

export const WEBP = {
  id: 'webp',
  title: 'WebP',
  family: 'image',
  extensions: ['webp'],
  mimeTypes: ['image/webp'],
  outputs: ['webp', 'jpg', 'png', 'avif', 'jxl'],
  holds: { alpha: true, bits: 8, frames: true, metadata: ['icc', 'exif', 'xmp'] },
  mostPixels: PICTURE_FACTS.webp.mostPixels,
  metadata: true,
  resizes: true,
  scored: true,
  hasEfforts: true,
  fidelity: 'perceptual',
  levels: {
    low: `${describePictureTarget('low')}, or lossless if that is smaller`,
    medium: `${describePictureTarget('medium')}, or lossless if that is smaller`,
    high: `lossless files stay lossless; lossy files ${describePictureTarget('high')}`,
  },
} as const satisfies Format

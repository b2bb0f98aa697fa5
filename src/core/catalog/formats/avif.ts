import { describePictureTarget } from '../describe.ts'
import type { Format } from '../format.ts'

export const AVIF = {
  id: 'avif',
  title: 'AVIF',
  family: 'image',
  extensions: ['avif', 'avifs'],
  mimeTypes: ['image/avif', 'image/avif-sequence'],
  outputs: ['avif', 'jpg', 'png', 'webp', 'jxl'],
  // Results have eight bits per sample, or ten if the picture has more than eight.
  holds: { alpha: true, bits: 10, frames: false, metadata: ['icc', 'exif', 'xmp'] },
  mostPixels: { isolate: 60_000_000, roomy: 268_435_456 },
  resizes: true,
  scored: true,
  hasEfforts: true,
  fidelity: 'perceptual',
  levels: {
    low: describePictureTarget('low'),
    medium: describePictureTarget('medium'),
    high: describePictureTarget('high'),
  },
} as const satisfies Format

import type { Format } from '../format.ts'

export const HEIC = {
  id: 'heic',
  title: 'HEIC',
  family: 'image',
  extensions: ['heic', 'heif', 'hif', 'heics', 'heifs'],
  mimeTypes: ['image/heic', 'image/heif', 'image/heic-sequence', 'image/heif-sequence'],
  // Whittle has no HEVC encoder for pictures, so HEIC itself stays unchanged, with a suggestion.
  outputs: ['heic', 'jpg', 'png', 'webp', 'avif', 'jxl'],
  mostPixels: { isolate: 60_000_000, roomy: 268_435_456 },
  resizes: true,
  scored: true,
  hasEfforts: true,
  fidelity: 'perceptual',
} as const satisfies Format

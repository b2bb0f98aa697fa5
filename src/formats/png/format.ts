import type { Format } from '../format.ts'

export const PNG = {
  id: 'png',
  title: 'PNG and APNG',
  family: 'image',
  extensions: ['png', 'apng'],
  mimeTypes: ['image/png', 'image/apng'],
  magic: [{ offset: 0, bytes: [0x89, 0x50, 0x4e, 0x47, 0xd, 0xa, 0x1a, 0xa] }],
  worker: 'press',
  quickUpTo: 1048576,
  outputs: ['png', 'jpg', 'webp', 'avif'],
  holds: { alpha: true, bits: 16, frames: true, metadata: ['icc', 'exif', 'xmp'] },
  fidelity: 'perceptual',
  levels: {
    low: 'a palette that keeps hues and soft gradients (SSIM 0.92, 32 dB, SSIMULACRA2 57), or eight bits a sample, else exact; animations exact',
    medium:
      'a palette that keeps hues and soft gradients (SSIM 0.94, 35 dB, SSIMULACRA2 70), or eight bits a sample, else exact; animations exact',
    high: 'exact',
  },
} as const satisfies Format

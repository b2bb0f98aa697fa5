import type { Format } from '../format.ts'

export const BMP = {
  id: 'bmp',
  title: 'BMP',
  family: 'image',
  extensions: ['bmp', 'dib'],
  mimeTypes: ['image/bmp'],
  worker: 'press',
  quickUpTo: 4194304,
  outputs: ['bmp', 'jpg', 'png', 'webp', 'avif'],
  fidelity: 'perceptual',
  levels: {
    low: 'a palette that keeps hues and soft gradients (SSIM 0.92, 32 dB, SSIMULACRA2 57), else exact',
    medium: 'a palette that keeps hues and soft gradients (SSIM 0.94, 35 dB, SSIMULACRA2 70), else exact',
    high: 'exact: fewer bits, run lengths',
  },
} as const satisfies Format

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
    low: 'a palette that holds SSIM 0.93 and 32 dB, else exact',
    medium: 'a palette that holds SSIM 0.96 and 35 dB, else exact',
    high: 'exact: fewer bits, run lengths',
  },
} as const satisfies Format

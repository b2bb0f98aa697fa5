import type { Format } from '../format.ts'

export const BMP = {
  id: 'bmp',
  title: 'BMP',
  family: 'image',
  extensions: ['bmp', 'dib'],
  mimeTypes: ['image/bmp'],
  worker: 'press',
  quickUpTo: 8388608,
  outputs: ['bmp', 'jpg', 'png', 'webp', 'avif'],
  fidelity: 'perceptual',
} as const satisfies Format

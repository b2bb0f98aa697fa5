import type { Format } from '../format.ts'

export const SVG = {
  id: 'svg',
  title: 'SVG and SVGZ',
  family: 'image',
  extensions: ['svg', 'svgz'],
  mimeTypes: ['image/svg+xml'],
  worker: 'press',
  quickUpTo: 262144,
  outputs: ['svg'],
  fidelity: 'perceptual',
  levels: {
    low: 'SSIM 0.95 and PSNR 33 dB, drawn 640 pixels wide',
    medium: 'SSIM 0.97 and PSNR 36 dB, drawn 640 pixels wide',
    high: 'SSIM 0.99 and PSNR 40 dB, drawn 640 pixels wide',
  },
} as const satisfies Format

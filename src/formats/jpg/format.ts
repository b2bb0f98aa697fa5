import type { Format } from '../format.ts'

export const JPG = {
  id: 'jpg',
  title: 'JPEG',
  family: 'image',
  extensions: ['jpg', 'jpeg', 'jpe', 'jfif'],
  mimeTypes: ['image/jpeg'],
  magic: [{ offset: 0, bytes: [0xff, 0xd8, 0xff] }],
  worker: 'press',
  quickUpTo: 8388608,
  outputs: ['jpg', 'png', 'webp', 'avif'],
  fidelity: 'perceptual',
} as const satisfies Format

import type { Format } from '../format.ts'

export const SVG = {
  id: 'svg',
  title: 'SVG and SVGZ',
  family: 'image',
  extensions: ['svg', 'svgz'],
  mimeTypes: ['image/svg+xml'],
  worker: 'press',
  quickUpTo: 4194304,
  outputs: ['svg'],
  fidelity: 'perceptual',
} as const satisfies Format

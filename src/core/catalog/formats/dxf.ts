import type { Format } from '../format.ts'

export const DXF = {
  id: 'dxf',
  title: 'DXF',
  family: 'cad',
  extensions: ['dxf'],
  mimeTypes: ['image/vnd.dxf'],
  worker: 'press',
  quickUpTo: 8388608,
  outputs: ['zst', 'br', 'gz'],
  fidelity: 'lossless',
} as const satisfies Format

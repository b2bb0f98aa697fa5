import type { Format } from '../format.ts'

export const DXF = {
  id: 'dxf',
  title: 'DXF',
  family: 'cad',
  extensions: ['dxf'],
  mimeTypes: ['image/vnd.dxf'],
  outputs: ['zst', 'br', 'gz'],
  fidelity: 'lossless',
} as const satisfies Format

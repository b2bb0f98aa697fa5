import type { Format } from '../format.ts'

export const XLSX = {
  id: 'xlsx',
  title: 'Excel (XLSX)',
  family: 'document',
  extensions: ['xlsx', 'xlsm', 'xltx', 'xltm'],
  mimeTypes: ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  worker: 'press',
  quickUpTo: 2097152,
  outputs: ['xlsx'],
  fidelity: 'perceptual',
  ultra: true,
  password: 'ooxml',
} as const satisfies Format

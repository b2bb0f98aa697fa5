import type { Format } from '../format.ts'

export const NETCDF = {
  id: 'netcdf',
  title: 'NetCDF-4',
  family: 'science',
  extensions: ['nc', 'nc4'],
  mimeTypes: ['application/x-netcdf'],
  worker: 'press',
  quickUpTo: 2097152,
  outputs: ['netcdf', 'zst', 'br', 'gz'],
  fidelity: 'lossless',
} as const satisfies Format

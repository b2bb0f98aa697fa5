import type { Format } from '../format.ts'

export const NETCDF3 = {
  id: 'netcdf3',
  title: 'NetCDF-3 (classic)',
  family: 'science',
  extensions: ['nc', 'cdf'],
  mimeTypes: ['application/x-netcdf'],
  magic: [
    { offset: 0, bytes: [0x43, 0x44, 0x46, 0x1] },
    { offset: 0, bytes: [0x43, 0x44, 0x46, 0x2] },
    { offset: 0, bytes: [0x43, 0x44, 0x46, 0x5] },
  ],
  outputs: ['zst', 'br', 'gz'],
  fidelity: 'lossless',
} as const satisfies Format

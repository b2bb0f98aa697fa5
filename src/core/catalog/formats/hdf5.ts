import type { Format } from '../format.ts'

export const HDF5 = {
  id: 'hdf5',
  title: 'HDF5',
  family: 'science',
  extensions: ['h5', 'hdf5', 'hdf', 'he5'],
  mimeTypes: ['application/x-hdf5'],
  outputs: ['hdf5', 'zst', 'br', 'gz'],
  fidelity: 'lossless',
} as const satisfies Format

export const NETCDF = {
  id: 'netcdf',
  title: 'NetCDF-4',
  family: 'science',
  extensions: ['nc', 'nc4'],
  mimeTypes: ['application/x-netcdf'],
  outputs: ['netcdf', 'zst', 'br', 'gz'],
  fidelity: 'lossless',
} as const satisfies Format

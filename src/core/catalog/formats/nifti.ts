import type { Format } from '../format.ts'

export const NIFTI = {
  id: 'nifti',
  title: 'NIfTI',
  family: 'medical',
  extensions: ['nii', 'nii.gz', 'hdr', 'zip'],
  mimeTypes: ['application/octet-stream'],
  hasEfforts: true,
  outputs: ['nii.gz', 'zst', 'br', 'gz'],
  fidelity: 'lossless',
} as const satisfies Format

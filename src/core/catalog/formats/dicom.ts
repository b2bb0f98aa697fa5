import type { Format } from '../format.ts'

export const DICOM = {
  id: 'dicom',
  title: 'DICOM',
  family: 'medical',
  extensions: ['dcm', 'dicom'],
  mimeTypes: ['application/dicom'],
  magic: [{ offset: 128, bytes: [0x44, 0x49, 0x43, 0x4d] }],
  outputs: ['dicom', 'zst', 'br', 'gz'],
  fidelity: 'lossless',
} as const satisfies Format

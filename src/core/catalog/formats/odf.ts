/** OpenDocument (OASIS OpenDocument 1.3, ISO/IEC 26300): packages of texts, spreadsheets, presentations, drawings and their templates. */
import { describeResolution } from '../describe.ts'
import type { Format } from '../format.ts'

const SHARED = {
  family: 'document',
  metadata: true,
  scored: true,
  hasEfforts: true,
  hasPages: true,
  fidelity: 'perceptual',
  levels: {
    low: `pictures as small as possible that still look clean, at ${describeResolution('low')} on the page; opaque PNG photos become JPEG; everything else is lossless`,
    medium: `pictures without visible difference at normal viewing size, at ${describeResolution('medium')} on the page; opaque PNG photos become JPEG`,
    high: `pictures without visible difference at 100 %, at ${describeResolution('high')} on the page`,
  },
} as const

export const ODT = {
  ...SHARED,
  id: 'odt',
  title: 'OpenDocument text (ODT)',
  extensions: ['odt', 'ott', 'odm', 'otm', 'oth'],
  mimeTypes: ['application/vnd.oasis.opendocument.text'],
  outputs: ['odt'],
} as const satisfies Format

export const ODS = {
  ...SHARED,
  id: 'ods',
  title: 'OpenDocument spreadsheet (ODS)',
  extensions: ['ods', 'ots'],
  mimeTypes: ['application/vnd.oasis.opendocument.spreadsheet'],
  outputs: ['ods'],
} as const satisfies Format

export const ODP = {
  ...SHARED,
  id: 'odp',
  title: 'OpenDocument presentation (ODP)',
  extensions: ['odp', 'otp'],
  mimeTypes: ['application/vnd.oasis.opendocument.presentation'],
  outputs: ['odp'],
} as const satisfies Format

export const ODG = {
  ...SHARED,
  id: 'odg',
  title: 'OpenDocument drawing (ODG)',
  extensions: ['odg', 'otg'],
  mimeTypes: ['application/vnd.oasis.opendocument.graphics'],
  outputs: ['odg'],
} as const satisfies Format

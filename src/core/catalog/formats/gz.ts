import type { Format } from '../format.ts'

/** Files compressed with gzip (RFC 1952), for example archives (`tar.gz`). NIfTI and SVG in gzip are formats of their own. */
export const GZ = {
  id: 'gz',
  title: 'gzip',
  family: 'data',
  extensions: ['gz', 'tgz', 'taz'],
  mimeTypes: ['application/gzip', 'application/x-gzip'],
  outputs: ['gz', 'zst', 'br'],
  fidelity: 'lossless',
} as const satisfies Format

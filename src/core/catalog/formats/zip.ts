import type { Format } from '../format.ts'

/** ZIP archives and packages of any kind that no other format recognises. */
export const ZIP = {
  id: 'zip',
  title: 'ZIP archive',
  family: 'data',
  extensions: [
    'zip',
    'jar',
    'war',
    'ear',
    'aar',
    'apk',
    'aab',
    'ipa',
    'xpi',
    'whl',
    'nupkg',
    'vsix',
    'cbz',
    'odf',
    'odc',
    'odb',
    'ora',
    'kra',
  ],
  mimeTypes: ['application/zip'],
  hasEfforts: true,
  outputs: ['zip', 'zst', 'br', 'gz'],
  fidelity: 'lossless',
} as const satisfies Format

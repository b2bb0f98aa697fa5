import type { Format } from '../format.ts'

/** Ogg files with Vorbis, FLAC, Speex or other streams. */
export const OGG = {
  id: 'ogg',
  title: 'Ogg',
  family: 'audio',
  extensions: ['ogg', 'oga', 'ogv', 'ogx', 'spx'],
  mimeTypes: ['audio/ogg'],
  outputs: ['ogg'],
  metadata: true,
  fidelity: 'lossless',
} as const satisfies Format

/** Ogg files whose first stream is Opus (RFC 7845). */
export const OPUS = {
  id: 'opus',
  title: 'Opus',
  family: 'audio',
  extensions: ['opus'],
  mimeTypes: ['audio/ogg; codecs=opus', 'audio/opus'],
  outputs: ['opus'],
  metadata: true,
  fidelity: 'lossless',
} as const satisfies Format

import { describeConvertedSound, describeLeastSaving, describeOpus, describeOversizedOpus } from '../describe.ts'
import type { Format } from '../format.ts'

/** Ogg files with Vorbis, FLAC, Speex or other streams. */
export const OGG = {
  id: 'ogg',
  title: 'Ogg',
  family: 'audio',
  extensions: ['ogg', 'oga', 'ogv', 'ogx', 'spx'],
  mimeTypes: ['audio/ogg'],
  outputs: ['ogg', 'm4a', 'mp3', 'flac'],
  metadata: true,
  fidelity: 'perceptual',
  gentlerIsLarger: true,
  levels: {
    low: `lossless: the same packets in fewer pages; ${describeConvertedSound('low')}`,
    medium: `lossless: the same packets in fewer pages; ${describeConvertedSound('medium')}`,
    high: `lossless: the same packets in fewer pages; ${describeConvertedSound('high')}`,
  },
} as const satisfies Format

/** Ogg files whose first stream is Opus (RFC 7845). */
export const OPUS = {
  id: 'opus',
  title: 'Opus',
  family: 'audio',
  extensions: ['opus'],
  mimeTypes: ['audio/ogg; codecs=opus', 'audio/opus'],
  outputs: ['opus', 'm4a', 'mp3', 'flac'],
  metadata: true,
  fidelity: 'perceptual',
  gentlerIsLarger: true,
  levels: {
    low: `${describeOpus('low')} ${describeOversizedOpus()}, if it saves ${describeLeastSaving()}; otherwise as \`high\`; ${describeConvertedSound('low')}`,
    medium: `${describeOpus('medium')} ${describeOversizedOpus()}, if it saves ${describeLeastSaving()}; otherwise as \`high\`; ${describeConvertedSound('medium')}`,
    high: `lossless: the same packets in fewer pages; ${describeConvertedSound('high')}`,
  },
} as const satisfies Format

/** Codec for AIFF and AIFF-C. It does what the codec for WAVE does, except ADPCM. */
import { AIFF } from '../../../catalog/formats/aiff.ts'
import { pcmCodec } from '../wav.ts'
import { readAiff } from './read-aiff.ts'
import { withoutAiffMetadata } from './without-metadata.ts'
import { writeAiff } from './write-aiff.ts'

export const aiff = pcmCodec({
  format: AIFF,
  read: readAiff,
  write: writeAiff,
  withoutMetadata: withoutAiffMetadata,
  nothingSmaller: 'nothing_smaller_in_aiff',
})

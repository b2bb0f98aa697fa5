/** Mutates formats without a container: binary headers followed by data, and lines of text. */
import type { FormatId } from '../../../src/core/catalog/index.ts'
import { fromLatin1, latin1, withDamage, withNumber, withRearrangedItems } from '../edits.ts'
import type { Mutator } from './mutator.ts'

/** Returns a mutator for a header of `headerBytes` bytes with binary numbers, followed by data. */
const headerMutator = (container: string, formats: FormatId | FormatId[], headerBytes: number, littleEndian: boolean): Mutator => ({
  container,
  formats: [formats].flat(),
  mutate(file, random) {
    if (random.chance(0.4)) return withDamage(file, random, random.chance(0.5) ? 0 : Math.min(headerBytes, file.length - 1))
    return withNumber(file, random.below(Math.min(headerBytes, file.length)), random.pick([1, 2, 4, 8]), littleEndian, random)
  },
})

export const BMP_MUTATOR = headerMutator('BMP', 'bmp', 60, true)
export const NIFTI_MUTATOR = headerMutator('NIfTI', 'nifti', 360, true)
/** Data of no known type. A damaged start may look like another format. */
export const DATA_MUTATOR = headerMutator('data', 'data', 64, true)
export const NETCDF3_MUTATOR = headerMutator('NetCDF-3', 'netcdf3', 100, false)
/** The first 200 bytes of an AIFF: the headers of chunks, and COMM. */
export const AIFF_MUTATOR = headerMutator('AIFF', 'aiff', 200, false)
/** The first 400 bytes of a FLAC: STREAMINFO, the headers of metadata blocks, and the first frame. */
export const FLAC_MUTATOR = headerMutator('FLAC', 'flac', 400, false)
/** The first 400 bytes of an Ogg file: headers of pages, and header packets. */
export const OGG_MUTATOR = headerMutator('Ogg', ['ogg', 'opus'], 400, true)
/** The first 200 bytes of a gzip file: header, and codes of the first block. */
export const GZIP_MUTATOR = headerMutator('gzip', 'gz', 200, true)
/** The first 600 bytes of a Matroska file: headers of elements, and the first cluster. */
export const MATROSKA_MUTATOR = headerMutator('Matroska', ['mkv', 'webm'], 600, false)
/** The first 800 bytes of a transport stream and of Flash video: tables, and headers of packets and tags. */
export const STREAM_MUTATOR = headerMutator('streams', ['ts', 'flv'], 800, false)
/** The first 200 bytes of an MP3: ID3, the first frame headers, and the Xing and LAME tags. */
export const MP3_MUTATOR = headerMutator('MP3', 'mp3', 200, false)

export const LINES_MUTATOR: Mutator = {
  container: 'lines',
  formats: ['text', 'dxf'],
  mutate(file, random) {
    if (random.chance(0.4)) return withDamage(file, random)
    return fromLatin1(withRearrangedItems(latin1(file).split('\n'), random).join('\n'))
  },
}

import type { Source } from '../../model/codec.ts'
import { isAiffHead } from './aiff/aiff-head.ts'
import { readAiff } from './aiff/read-aiff.ts'
import { readWave, type Wave } from './header.ts'

/** Reads the header of a WAVE or AIFF file. @throws CodecError (malformed), CodecError (unsupported_feature) */
export const readSound = async (source: Source): Promise<Wave> =>
  isAiffHead(await source.read(0, 12)) ? readAiff(source) : readWave(source)

import type { Options, Outcome, Source, Verdict } from '../../codec/codec.ts'
import { differenceOf } from '../../raster/verify.ts'
import { carriedOf } from './carried.ts'
import { picture } from './convert.ts'
import { readHeader } from './segments.ts'

/** Decodes both and compares; exact results to the last sample. */
export async function verifyConverted(original: Source, result: Source, outcome: Outcome, options: Options): Promise<Verdict> {
  const header = await readHeader(original)
  const { raster } = picture(original, header, options)
  const carried = carriedOf(header)
  const exact = outcome.kind === 'compressed' && !outcome.loss
  const difference = await differenceOf(options.output, raster, carried, result, exact)
  return difference === undefined ? { equal: true } : { equal: false, difference }
}

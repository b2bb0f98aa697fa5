/** NetCDF-4, which is HDF5 with dimension scales, written again: values in shuffled and deflated chunks, everything a reader sees unchanged. */
import { type Codec, MalformedFile, OverBudget, UnsupportedFeature } from '../../codec/codec.ts'
import { compressCompanion, isCompanion, verifyCompanion } from '../../containers/wrapper/wrapper.ts'
import { difference, rewrite } from '../hdf5/rewrite.ts'
import { NETCDF } from './format.ts'

export const netcdf: Codec = {
  format: NETCDF,

  async compress(source, sink, options) {
    if (isCompanion(options.output)) return compressCompanion(source, sink, options)
    const rewritten = await rewrite(source, sink, options)
    if (rewritten.kind === 'no_gain') return { kind: 'unchanged', reason: 'no_gain' }
    if (rewritten.kind !== 'done') throw refusal(rewritten.kind, rewritten.reason)
    return { kind: 'compressed', fidelity: 'lossless', steps: ['HDF5 1.10.8 chunks, shuffle, Deflate by libdeflate'] }
  },

  async verify(original, result, _outcome, options) {
    if (isCompanion(options.output)) return verifyCompanion(original, result, options)
    const found = await difference(original, result, options)
    return found === undefined ? { equal: true } : { equal: false, difference: found }
  },
}

function refusal(kind: 'malformed' | 'unsupported' | 'over_budget', reason: string): Error {
  if (kind === 'malformed') return new MalformedFile('netcdf', 0, reason)
  return kind === 'unsupported' ? new UnsupportedFeature(reason) : new OverBudget(reason)
}

/** Codec for HDF5. Rewrites the file with shuffled and deflated chunks; everything a reader can see is unchanged. */

import { HDF5, NETCDF } from '../../catalog/formats/hdf5.ts'
import { compressWrapped, isWrapper, verifyWrapped } from '../../containers/wrapper/wrapper.ts'
import { message } from '../../i18n/message.ts'
import type { Codec } from '../../model/codec.ts'
import { CodecError } from '../../model/error.ts'
import { compressKeepingTrailingData, stripEqualTrailingData } from '../../model/trailing-data.ts'
import { endOfHdf5 } from './end.ts'
import { hdf5Difference, rewrite } from './rewrite.ts'

export const hdf5: Codec = hdf5Codec(HDF5)
/** Codec for NetCDF-4, which is HDF5 with dimension scales. */
export const netcdf: Codec = hdf5Codec(NETCDF)

function hdf5Codec(format: Codec['format']): Codec {
  return {
    format,

    async compress(source, sink, options) {
      if (isWrapper(options.output)) return compressWrapped(source, sink, options)
      return compressKeepingTrailingData(source, await endOfHdf5(source), sink, options, async (body, asked) => {
        const rewritten = await rewrite(body, sink, asked)
        if (rewritten.kind === 'no_gain') return { kind: 'unchanged', reason: 'no_gain' }
        if (rewritten.kind !== 'done')
          throw new CodecError(rewritten.kind === 'unsupported' ? 'unsupported_feature' : rewritten.kind, rewritten.reason)
        return { kind: 'compressed', steps: [message('hdf5_chunks_deflated')] }
      })
    },

    async verify(original, result, _outcome, options) {
      if (isWrapper(options.output)) return verifyWrapped(original, result, options)
      const parted = await stripEqualTrailingData(original, await endOfHdf5(original), result)
      const found = 'difference' in parted ? parted.difference : await hdf5Difference(parted.original, parted.result, options)
      return found === undefined ? { equal: true } : { equal: false, difference: found }
    },
  }
}

import type { Codec } from '../../core/model/codec.ts'
import { wrapperCodec } from '../../core/containers/wrapper/wrapper.ts'
import { NETCDF3 } from '../../core/catalog/formats/netcdf3.ts'

/** The classic format has no compression of its own: byte for byte inside a companion. */
export const netcdf3: Codec = wrapperCodec(NETCDF3)

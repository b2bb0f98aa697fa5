import { NETCDF3 } from '../../catalog/formats/netcdf3.ts'
import { wrapperCodec } from '../../containers/wrapper/wrapper.ts'
import type { Codec } from '../../model/codec.ts'

/** The classic format has no compression of its own: byte for byte inside a companion. */
export const netcdf3: Codec = wrapperCodec(NETCDF3)

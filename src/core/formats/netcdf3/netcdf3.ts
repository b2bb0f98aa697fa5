import { NETCDF3 } from '../../catalog/formats/netcdf3.ts'
import { wrapperCodec } from '../../containers/wrapper/wrapper.ts'
import type { Codec } from '../../model/codec.ts'

/** NetCDF classic format, which has no compression of its own: compressed byte-exact in a wrapper (`.zst`, `.br`, `.gz`). */
export const netcdf3: Codec = wrapperCodec(NETCDF3)

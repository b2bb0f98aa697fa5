/** Filters of heaps (HDF5 File Format Specification 4.0, IV.A.2.l). Groups may compress their links with them. */
import { inflateAll } from '../inflate.ts'
import type { Cursor } from './cursor.ts'
import type { Hdf5File } from './file.ts'

/** Filter of a pipeline, in the order of writing. */
export interface Filter {
  readonly id: number
  readonly values: readonly number[]
}

const [DEFLATE, SHUFFLE, FLETCHER32] = [1, 2, 3]
/** Filters with smaller numbers have no name in version 2. */
const FIRST_NAMED = 256
const FLETCHER32_BYTES = 4
/** Longest block or object. The HDF5 library makes blocks of at most 64 KB. */
const MAX_BYTES = 1024 * 1024

/** Parses a filter pipeline message. */
export function filtersOf(cursor: Cursor): Filter[] {
  const [version, count] = [cursor.u8(), cursor.u8()]
  if (version === 1) cursor.skip(6)
  return Array.from({ length: count }, () => {
    const id = cursor.u16()
    const nameBytes = version > 1 && id < FIRST_NAMED ? 0 : cursor.u16()
    cursor.skip(2)
    const values = cursor.u16()
    cursor.skip(nameBytes)
    const filter = { id, values: Array.from({ length: values }, () => cursor.u32()) }
    if (version === 1 && values % 2 === 1) cursor.skip(4)
    return filter
  })
}

/**
 * Reads content and undoes its filters. `mask`: one bit for each filter that was skipped; `bytes`: most bytes of the content.
 * @throws CodecError (malformed) if a filter is unknown or the content is damaged
 */
export async function unfiltered(
  file: Hdf5File,
  filters: readonly Filter[],
  { address, stored, mask }: { readonly address: number | undefined; readonly stored: number; readonly mask: number },
  bytes: number,
): Promise<Uint8Array> {
  if (bytes > MAX_BYTES || stored > MAX_BYTES) throw file.malformed(address)
  await file.spend(bytes)
  let content = await file.bytes(address, stored)
  for (let i = filters.length - 1; i >= 0; i--) if (!(mask & (1 << i))) content = await undone(file, filters[i]!, content, bytes)
  return content
}

async function undone(file: Hdf5File, { id, values }: Filter, content: Uint8Array, bytes: number): Promise<Uint8Array> {
  if (id === FLETCHER32) return content.subarray(0, Math.max(0, content.length - FLETCHER32_BYTES))
  if (id === SHUFFLE) return unshuffled(content, values[0] ?? 1)
  if (id !== DEFLATE) throw file.malformed(undefined)
  try {
    return await inflateAll(content, { wrapper: 'zlib', maxBytes: bytes + FLETCHER32_BYTES })
  } catch {
    throw file.malformed(undefined)
  }
}

/** Puts the bytes of each value together again. Bytes after the last whole value are at the end. */
function unshuffled(content: Uint8Array, valueBytes: number): Uint8Array {
  const count = Math.floor(content.length / Math.max(1, valueBytes))
  if (valueBytes <= 1 || count <= 1) return content
  const result = content.slice()
  for (let i = 0; i < count * valueBytes; i++) result[(i % count) * valueBytes + Math.floor(i / count)] = content[i]!
  return result
}

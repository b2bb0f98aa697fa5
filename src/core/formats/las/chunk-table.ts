/** Reads the chunk table after the last chunk: version 0, number of chunks, then byte counts. Each count is predicted by the one before. */
import { type MessageOrCode, message, toMessage } from '../../i18n/message.ts'
import { malformed } from '../../model/error.ts'
import { ArithmeticDecoder, IntegerDecompressor } from './arithmetic-decoder.ts'
import { viewOf } from './las-header.ts'

/** Bytes of the chunk table's header: version (4) and number of chunks (4). */
const TABLE_HEADER_BYTES = 8

/**
 * Returns the byte counts of the chunks.
 * @param chunks expected number of chunks
 * @throws CodecError (malformed) if the table is damaged or has another number of chunks
 */
export function readChunkTable(table: Uint8Array, chunks: number, offset: number): number[] {
  const wrong = (what: MessageOrCode) => malformed('las', offset, message('chunk_table', { what: toMessage(what) }))
  if (table.length < TABLE_HEADER_BYTES) throw wrong(message('bytes_found', { bytes: table.length }))
  const view = viewOf(table)
  if (view.getUint32(0, true) !== 0) throw wrong(message('version_found', { version: view.getUint32(0, true) }))
  if (view.getUint32(4, true) !== chunks) throw wrong(message('chunks_not_of', { found: view.getUint32(4, true), chunks }))
  if (chunks === 0) return []
  const decoder = new ArithmeticDecoder()
  decoder.reset(table.subarray(TABLE_HEADER_BYTES))
  const integers = new IntegerDecompressor(decoder, 32, 2)
  const sizes: number[] = []
  for (let i = 0, previous = 0; i < chunks; i++) {
    previous = integers.decompress(previous, 1)
    sizes.push(previous >>> 0)
  }
  return sizes
}

/**
 * Reads the file names of an archive, even of a damaged one, as ISO 8859-1. Used to detect the file format, for which only ASCII counts.
 */

import { latin1Of } from '../../bytes/latin1.ts'
import { ByteReader } from '../../bytes/reader.ts'
import type { Source } from '../../model/codec.ts'
import { endRecordsIn, MAX_32, readEndPosition, readTail, readZip64End, readZip64Position } from './end-record.ts'
import { CENTRAL_BYTES, CENTRAL_SIGNATURE, END_BYTES, LOCAL_BYTES, LOCAL_SIGNATURE } from './records.ts'
import { MAX_LISTED_DIRECTORY_BYTES, SEARCHED_BYTES } from './tuning.ts'

/** Returns names from the central directory. If it cannot be found, from local headers in the first `SEARCHED_BYTES` bytes. */
export async function entryNames(source: Source): Promise<string[]> {
  const { tail, tailAt } = await readTail(source)
  for (const at of endRecordsIn(tail)) {
    let { directoryBytes, directoryOffset } = readEndPosition(new ByteReader(tail.subarray(at, at + END_BYTES), true))
    if (directoryOffset === MAX_32 || directoryBytes === MAX_32) {
      const wide = (await readZip64End(source, tailAt + at))?.record
      if (!wide) break
      ;({ directoryBytes, directoryOffset } = readZip64Position(wide))
    }
    const bytes = Math.min(directoryBytes, MAX_LISTED_DIRECTORY_BYTES)
    const names = namesInDirectory(await source.read(directoryOffset, bytes))
    if (names.length > 0) return names
    // If a prefix was added to the archive, the stored offset is wrong, but the directory still ends where the end record begins.
    return namesInDirectory(await source.read(Math.max(0, tailAt + at - directoryBytes), bytes))
  }
  return namesInLocalHeaders(await source.read(0, SEARCHED_BYTES))
}

/** Reads central directory headers (APPNOTE.TXT 4.3.12). */
function namesInDirectory(bytes: Uint8Array): string[] {
  const reader = new ByteReader(bytes, true)
  const names: string[] = []
  for (let at = 0; at + CENTRAL_BYTES <= bytes.length && reader.u32(at) === CENTRAL_SIGNATURE; ) {
    const nameBytes = reader.u16(at + 28)
    names.push(nameAt(bytes, at + CENTRAL_BYTES, nameBytes))
    at += CENTRAL_BYTES + nameBytes + reader.u16(at + 30) + reader.u16(at + 32)
  }
  return names
}

/** Searches for local file headers (APPNOTE.TXT 4.3.7). */
function namesInLocalHeaders(bytes: Uint8Array): string[] {
  const reader = new ByteReader(bytes, true)
  const names: string[] = []
  for (let at = 0; at + LOCAL_BYTES <= bytes.length; ) {
    if (reader.u32(at) !== LOCAL_SIGNATURE) {
      at++
      continue
    }
    const nameBytes = reader.u16(at + 26)
    names.push(nameAt(bytes, at + LOCAL_BYTES, nameBytes))
    at += LOCAL_BYTES + nameBytes + reader.u16(at + 28)
  }
  return names
}

const nameAt = (bytes: Uint8Array, at: number, length: number) => latin1Of(bytes.subarray(at, at + length))

/** The names in an archive, also in one that is damaged: to tell what it is, before anybody reads it in earnest. */

import { ByteReader } from '../../bytes/reader.ts'
import type { Source } from '../../model/codec.ts'
import { endPlace, endRecordsIn, MAX_32, readTail, readZip64End, zip64Place } from './end-record.ts'
import { CENTRAL_BYTES, CENTRAL_SIGNATURE, END_BYTES, LOCAL_BYTES, LOCAL_SIGNATURE } from './records.ts'

const MOST_DIRECTORY_BYTES = 4 * 1024 * 1024
/** From the beginning, where the directory cannot be found. */
const SEARCHED_BYTES = 256 * 1024

/** Names from the central directory; from the local headers of the first bytes when the directory cannot be found. */
export async function entryNames(source: Source): Promise<string[]> {
  const { tail, tailAt } = await readTail(source)
  for (const at of endRecordsIn(tail)) {
    let { directoryBytes, directoryOffset } = endPlace(new ByteReader(tail.subarray(at, at + END_BYTES), true))
    if (directoryOffset === MAX_32 || directoryBytes === MAX_32) {
      const wide = (await readZip64End(source, tailAt + at))?.record
      if (!wide) break
      ;({ directoryBytes, directoryOffset } = zip64Place(wide))
    }
    const bytes = Math.min(directoryBytes, MOST_DIRECTORY_BYTES)
    const names = namesInDirectory(await source.read(directoryOffset, bytes))
    if (names.length > 0) return names
    // A directory that lies elsewhere than it says (a prefix was put before the archive): it ends where the record begins.
    return namesInDirectory(await source.read(Math.max(0, tailAt + at - directoryBytes), bytes))
  }
  return namesInLocalHeaders(await source.read(0, SEARCHED_BYTES))
}

/** 4.3.12 */
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

/** 4.3.7 */
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

const nameAt = (bytes: Uint8Array, at: number, length: number) => new TextDecoder().decode(bytes.subarray(at, at + length))

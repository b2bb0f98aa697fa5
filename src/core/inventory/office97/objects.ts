/** Offsets of a presentation's objects, which its edits list ([MS-PPT] 2.3.3, UserEditAtom). */
import { Fields } from '../fields.ts'
import type { Ranges } from '../ranges.ts'

const [EDIT, DIRECTORY] = [0x0ff5, 0x1772]
const HEADER_BYTES = 8
const MAX_EDITS = 20_000
const MAX_DIRECTORY_BYTES = 4 * 1024 * 1024

/** Returns the offsets in ascending order, as far as the edits can be read. */
export async function objectsOf(document: Ranges, user: Ranges): Promise<number[]> {
  const found = new Set<number>()
  const seen = new Set<number>()
  let at = user.size < 20 ? 0 : Fields.little(await user.bytes(16, 4)).u32(0)
  while (at !== 0 && !seen.has(at) && seen.size < MAX_EDITS) {
    seen.add(at)
    const edit = await record(document, at, EDIT)
    const directory = edit && edit.length >= 16 ? await record(document, edit.u32(12), DIRECTORY) : undefined
    if (!edit || !directory) break
    for (let from = 0; from + 4 <= directory.length; ) {
      const end = Math.min(directory.length - 3, from + 4 + 4 * Math.floor(directory.u32(from) / 2 ** 20))
      for (let entry = from + 4; entry < end; entry += 4) found.add(directory.u32(entry))
      from = Math.max(end, from + 4)
    }
    at = edit.u32(8)
  }
  return [...found].sort((a, b) => a - b)
}

/** Returns the data of a record of a type. `undefined`: there is none. */
async function record(document: Ranges, at: number, type: number): Promise<Fields | undefined> {
  if (at + HEADER_BYTES > document.size) return undefined
  const head = Fields.little((await document.bytes(at, HEADER_BYTES)).slice())
  const length = head.u32(4)
  if (head.u16(2) !== type || length > MAX_DIRECTORY_BYTES || at + HEADER_BYTES + length > document.size) return undefined
  return Fields.little((await document.bytes(at + HEADER_BYTES, length)).slice())
}

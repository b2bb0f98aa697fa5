import { latin1Of } from '../../bytes/latin1.ts'
import type { FileView } from '../file-view.ts'
import { type Group, MAX_VALUE_CHARACTERS } from './group.ts'

/** Bytes of a text that are read together with its code. Longer texts are read again. */
const SHORT_TEXT_BYTES = 256
const SENTINEL = 'AutoCAD Binary DXF\r\n\x1a\0'

export async function isBinary(view: FileView): Promise<boolean> {
  return latin1Of(await view.bytesUpTo(0, SENTINEL.length)) === SENTINEL
}

/** Yields the groups of a binary DXF file. A damaged file ends at the first group that cannot be read. */
export async function* binaryGroups(view: FileView): AsyncGenerator<Group> {
  // Release 12 writes codes in one byte, later releases in two. The first group is always "0 SECTION".
  const head = await view.bytesUpTo(SENTINEL.length, 2)
  const isWide = head[1] === 0
  for (let at = SENTINEL.length; at < view.size; ) {
    const start = await view.bytesUpTo(at, 3 + SHORT_TEXT_BYTES)
    if (start.length < 3) return
    const isEscaped = !isWide && start[0] === 255
    const code = isWide ? start[0]! | (start[1]! << 8) : isEscaped ? start[1]! | (start[2]! << 8) : start[0]!
    const codeBytes = isWide ? 2 : isEscaped ? 3 : 1
    const length = LENGTH_BY_CODE.get(code) ?? 'text'
    if (length === 'chunk') at += codeBytes + 1 + (start[codeBytes] ?? 0)
    else if (length !== 'text') at += codeBytes + length
    else {
      const end = start.indexOf(0, codeBytes)
      const text = { value: latin1Of(start.subarray(codeBytes, Math.max(codeBytes, end))).trim(), next: at + end + 1 }
      const { value, next } = end < 0 ? await textAt(view, at + codeBytes) : text
      yield { code, value }
      at = next
    }
  }
}

/** Bytes of a value by ranges of group codes (DXF Reference, "Binary DXF Files"). Other values are texts that end with a zero byte. */
const LENGTHS: readonly (readonly [from: number, to: number, length: number | 'chunk'])[] = [
  [10, 59, 8],
  [60, 79, 2],
  [90, 99, 4],
  [110, 149, 8],
  [160, 169, 8],
  [170, 179, 2],
  [210, 239, 8],
  [270, 289, 2],
  [290, 299, 1],
  [310, 319, 'chunk'],
  [370, 389, 2],
  [400, 409, 2],
  [420, 429, 4],
  [440, 449, 4],
  [450, 459, 4],
  [460, 469, 8],
  [1004, 1004, 'chunk'],
  [1010, 1059, 8],
  [1060, 1070, 2],
  [1071, 1071, 4],
]

const LENGTH_BY_CODE = new Map(
  LENGTHS.flatMap(([from, to, length]) => Array.from({ length: to - from + 1 }, (_, index) => [from + index, length] as const)),
)

/** Reads a text up to its zero byte. */
async function textAt(view: FileView, at: number): Promise<{ value: string; next: number }> {
  for (let from = at; from < view.size; ) {
    const bytes = await view.bytesUpTo(from, MAX_VALUE_CHARACTERS)
    const end = bytes.indexOf(0)
    if (end < 0) {
      from += bytes.length
      continue
    }
    const value = latin1Of(await view.bytesUpTo(at, Math.min(MAX_VALUE_CHARACTERS, from + end - at)))
    return { value: value.trim(), next: from + end + 1 }
  }
  return { value: '', next: view.size }
}

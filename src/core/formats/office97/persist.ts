/** Places of the objects of a presentation ([MS-PPT] 2.1.2, persist object directory). Readers reach records through them only. */
import type { ByteReader } from '../../bytes/reader.ts'
import { unsupported } from '../../model/error.ts'
import { recordAt } from './record.ts'
import { MAX_EDITS } from './tuning.ts'

const TYPE = { edit: 0x0ff5, directory: 0x1772 } as const

/**
 * Returns the offsets of all objects of all saved versions, in ascending order. `current`: offset of the last edit.
 * @throws CodecError `unsupported_feature` if they cannot be found
 */
export function persistObjects(document: ByteReader, current: number): number[] {
  const places = new Set<number>()
  const seen = new Set<number>()
  for (let at = current; at !== 0; ) {
    const edit = recordAt(document, at, document.length)
    if (edit?.type !== TYPE.edit || edit.end - edit.start < 16 || seen.has(at) || seen.size >= MAX_EDITS) throw unknown()
    seen.add(at)
    const directory = recordAt(document, document.u32(edit.start + 12), document.length)
    if (directory?.type !== TYPE.directory) throw unknown()
    for (let from = directory.start; from + 4 <= directory.end; ) {
      const count = document.u32(from) >>> 20
      const end = from + 4 + 4 * count
      if (end > directory.end) throw unknown()
      for (let entry = from + 4; entry < end; entry += 4) places.add(document.u32(entry))
      from = end
    }
    at = document.u32(edit.start + 8)
  }
  return [...places].sort((a, b) => a - b)
}

const unknown = () => unsupported('office97_pictures_not_understood')

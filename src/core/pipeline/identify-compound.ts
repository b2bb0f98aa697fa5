/** Recognises binary Office documents by the streams of their compound file. */
import { openCompoundFile } from '../containers/cfb/read.ts'
import type { Source } from '../model/codec.ts'
import { isCodecError } from '../model/error.ts'

/** Streams of each format ([MS-DOC] 2.1, [MS-XLS] 2.1.2, [MS-PPT] 2.1). */
const STREAMS = { ppt: ['PowerPoint Document'], xls: ['Workbook', 'Book'], doc: ['WordDocument'] } as const

/** Returns the format of a compound file. `undefined`: another kind of document, or a damaged file. */
export async function identifyCompound(source: Source): Promise<keyof typeof STREAMS | undefined> {
  try {
    const { paths } = await openCompoundFile(source)
    // Names that differ in case only are the same ([MS-CFB] 2.6.4).
    const names = new Set(paths.map((path) => path.toUpperCase()))
    for (const id of ['ppt', 'xls', 'doc'] as const) if (STREAMS[id].some((name) => names.has(name.toUpperCase()))) return id
    return undefined
  } catch (error) {
    if (isCodecError(error)) return undefined
    throw error
  }
}

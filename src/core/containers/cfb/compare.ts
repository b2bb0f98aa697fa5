/** Compares two compound files whose streams may lie in other sectors. */
import { equalBytes } from '../../bytes/equal.ts'
import { streamDifference } from '../zip/compare.ts'
import { type CompoundFile, DIRECTORY_ENTRY } from './read.ts'
import { streamChunks, streamEntries } from './rewrite.ts'

/** Header fields that say where tables lie ([MS-CFB] 2.2): from 40 to 56, and from 60 on. */
const withoutPlaces = (header: Uint8Array) => header.slice().fill(0, 40, 56).fill(0, 60)

/** Directory entries without first sectors and sizes. */
function withoutSizes({ directory }: CompoundFile): Uint8Array {
  const names = directory.slice()
  for (let at = 0; at + DIRECTORY_ENTRY <= names.length; at += DIRECTORY_ENTRY) names.fill(0, at + 116, at + DIRECTORY_ENTRY)
  return names
}

/**
 * Returns the first difference of header, directory and streams. `undefined`: there is none. `others`: directory entries whose streams
 * the caller compares.
 */
export async function compoundDifference(
  [before, fileBytes]: readonly [CompoundFile, number],
  after: CompoundFile,
  others: ReadonlySet<number>,
): Promise<string | undefined> {
  if (!equalBytes(withoutPlaces(before.header), withoutPlaces(after.header))) return 'the header changed'
  if (!equalBytes(withoutSizes(before), withoutSizes(after))) return 'the directory changed'
  for (const index of streamEntries(before, fileBytes)) {
    if (others.has(index)) continue
    const sizes = [before.openEntry(index).size, after.openEntry(index).size]
    if (sizes[0] !== sizes[1]) return `stream ${index}: ${sizes[0]} bytes became ${sizes[1]}`
    const difference = await streamDifference(streamChunks(before, index), streamChunks(after, index))
    if (difference) return `stream ${index}: ${difference}`
  }
  return undefined
}

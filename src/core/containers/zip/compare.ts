/** Compares two archives. The result proves that a lossless rewrite kept every file. */
import { equalBytes } from '../../bytes/equal.ts'
import type { Options, Verdict } from '../../model/codec.ts'
import type { ZipEntry } from './entry.ts'
import { entryChunks, prefixChunks, rawChunks, readLocalHeader, type ZipArchive } from './read.ts'
import { FLAG_ENCRYPTED, FLAG_UTF8 } from './records.ts'

/** Fields of an entry that a rewrite must not change, in addition to its bytes. */
const METADATA_FIELDS = ['versionMadeBy', 'time', 'date', 'internalAttributes', 'externalAttributes'] as const

/**
 * Compares order, names and metadata of the entries, then every byte of their contents. Decodes `result` completely and checks its CRCs.
 */
export async function compareArchives(original: ZipArchive, result: ZipArchive, options: Pick<Options, 'signal'>): Promise<Verdict> {
  const different = (difference: string): Verdict => ({ equal: false, difference })
  if (original.entries.length !== result.entries.length)
    return different(`${original.entries.length} files became ${result.entries.length}`)
  const outside = await archiveDataDifference(original, result)
  if (outside) return different(outside)
  for (const [index, before] of original.entries.entries()) {
    const after = result.entries[index]!
    const fact = changedMetadata(before, after)
    if (fact) return different(`${before.name}: ${fact} changed`)
  }
  for (const [index, before] of original.physical.entries()) {
    options.signal.throwIfAborted()
    const after = result.physical[index]!
    if (!equalBytes(before.rawName, after.rawName)) return different(`${before.name}: another position in the file`)
    const difference = await contentDifference(original, before, result, after)
    if (difference) return different(`${before.name}: ${difference}`)
  }
  return { equal: true }
}

/** Compares the data outside the entries: the archive comment, and the bytes before and after the archive. */
export async function archiveDataDifference(original: ZipArchive, result: ZipArchive): Promise<string | undefined> {
  if (!equalBytes(original.comment, result.comment)) return 'the comment changed'
  if (!equalBytes(original.suffix, result.suffix)) return 'the bytes after the archive changed'
  if (original.prefixBytes !== result.prefixBytes || original.base > 0 !== result.base > 0)
    return 'the length of the prefix or the base of the offsets changed'
  return streamDifference(prefixChunks(original), prefixChunks(result))
}

/** Names the first metadata field that differs between two entries. Sizes are not compared. */
export function changedMetadata(before: ZipEntry, after: ZipEntry): string | undefined {
  if (!equalBytes(before.rawName, after.rawName)) return 'the name'
  if (!equalBytes(before.comment, after.comment)) return 'the comment'
  if ((before.flags ^ after.flags) & (FLAG_UTF8 | FLAG_ENCRYPTED)) return 'the flags'
  return METADATA_FIELDS.find((fact) => before[fact] !== after[fact])
}

/** Compares the contents of two entries. Encrypted entries are compared without decoding. */
export async function contentDifference(
  original: ZipArchive,
  before: ZipEntry,
  result: ZipArchive,
  after: ZipEntry,
): Promise<string | undefined> {
  if (before.opaque || after.opaque) {
    if (before.method !== after.method || before.crc32 !== after.crc32) return 'method or CRC of an encrypted entry changed'
    const [a, b] = [await readLocalHeader(original, before), await readLocalHeader(result, after)]
    return streamDifference(rawChunks(original, before, a.dataOffset), rawChunks(result, after, b.dataOffset))
  }
  if (before.size !== after.size || before.crc32 !== after.crc32) return `${before.size} bytes became ${after.size}, or the CRC changed`
  return streamDifference(entryChunks(original, before), entryChunks(result, after))
}

/** Compares two byte streams, whose chunk sizes may differ. */
export async function streamDifference(first: AsyncIterable<Uint8Array>, second: AsyncIterable<Uint8Array>): Promise<string | undefined> {
  const [a, b] = [first[Symbol.asyncIterator](), second[Symbol.asyncIterator]()]
  let [x, y]: Uint8Array[] = [new Uint8Array(), new Uint8Array()]
  let at = 0
  try {
    for (;;) {
      while (x!.length === 0) {
        const next = await a.next()
        if (next.done) break
        x = next.value
      }
      while (y!.length === 0) {
        const next = await b.next()
        if (next.done) break
        y = next.value
      }
      const length = Math.min(x!.length, y!.length)
      if (length === 0) return x!.length === y!.length ? undefined : `one ends at byte ${at}`
      if (!equalBytes(x!.subarray(0, length), y!.subarray(0, length))) return `bytes differ between ${at} and ${at + length}`
      at += length
      x = x!.subarray(length)
      y = y!.subarray(length)
    }
  } finally {
    await a.return?.()
    await b.return?.()
  }
}

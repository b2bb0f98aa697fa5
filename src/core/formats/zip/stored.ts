/** Finds members that are stored on purpose, because programs read them in place. */
import { alignmentOf, hasPadding } from '../../containers/zip/alignment.ts'
import type { ZipEntry } from '../../containers/zip/entry.ts'
import { isMimetype } from '../../containers/zip/mimetype.ts'
import { readLocalHeader, type ZipArchive } from '../../containers/zip/read.ts'
import { STORED } from '../../containers/zip/records.ts'
import { type ChooseAction, KEEP } from '../../containers/zip/rewrite.ts'

/** Archives inside archives. Java programs start from stored JARs in a JAR, and app stores install stored APKs. */
const ARCHIVE = /\.(?:jar|war|ear|aar|apk|zip)$/i
/** Members of archives whose readers expect stored members: apps of Android (openFd, mmap), documents of iWork. */
const READ_IN_PLACE = /(?:^|\/)AndroidManifest\.xml$|\.iwa$/
const LIBRARY = /\.so$/
/** Alignments of libraries (pages of 16 or 4 KiB), and of other members, in bytes. The largest that the old place has is kept. */
const [PAGES, WORDS] = [
  [16_384, 4096, 64, 16, 8, 4],
  [64, 32, 16, 8, 4],
]
/** Stored members whose local header is searched for padding. Writers pad all of them or none. */
const MAX_SEARCHED = 64

/** Returns the action for each entry: stored members that are read in place stay stored and aligned. */
export async function storedEntries(archive: ZipArchive): Promise<ChooseAction> {
  const staysStored = (await isReadInPlace(archive)) ? () => true : (entry: ZipEntry) => isMimetype(entry) || ARCHIVE.test(entry.name)
  return async (entry) => {
    if (entry.method !== STORED || entry.opaque || !staysStored(entry)) return KEEP
    const { dataOffset } = await readLocalHeader(archive, entry)
    return {
      kind: 'keep-stored',
      alignment: isMimetype(entry) ? 1 : alignmentOf(dataOffset, LIBRARY.test(entry.name) ? PAGES : WORDS),
    }
  }
}

async function isReadInPlace(archive: ZipArchive): Promise<boolean> {
  if (archive.entries.some(({ name }) => READ_IN_PLACE.test(name))) return true
  const stored = archive.physical.filter(({ method, opaque, size }) => method === STORED && !opaque && size > 0)
  for (const entry of stored.slice(0, MAX_SEARCHED)) if (hasPadding((await readLocalHeader(archive, entry)).extra)) return true
  return false
}

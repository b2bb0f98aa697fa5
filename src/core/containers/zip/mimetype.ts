/** The entry `mimetype`, by which programs recognise a package (EPUB OCF 3.3, 4.2.2; OpenDocument 1.3 part 2, 3.3). */
import type { ZipEntry } from './entry.ts'
import type { ZipArchive } from './read.ts'

/** True for the entry that must be the first file, stored, without extra fields. */
export const isMimetype = ({ name }: Pick<ZipEntry, 'name'>): boolean => name === 'mimetype'

/** Moves `mimetype` to the front of the file. Without such an entry, the order stays. */
export function mimetypeFirst(archive: ZipArchive): ZipArchive {
  const { physical } = archive
  return { ...archive, physical: [...physical.filter(isMimetype), ...physical.filter((entry) => !isMimetype(entry))] }
}

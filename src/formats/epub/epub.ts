import type { Codec } from '../../codec/codec.ts'
import type { ZipArchive } from '../../containers/zip/read.ts'
import { repackRoom } from '../../containers/zip/repack.ts'
import { EPUB } from './format.ts'

/** EPUB OCF 3.3, 4.2.2: `mimetype` is the first file, stored, without extra fields. */
function mimetypeFirst(archive: ZipArchive): ZipArchive {
  const first = archive.physical.filter((entry) => entry.name === 'mimetype')
  return { ...archive, physical: [...first, ...archive.physical.filter((entry) => entry.name !== 'mimetype')] }
}

export const epub: Codec = repackRoom(EPUB, {
  arrange: mimetypeFirst,
  recipe: (entry) => ({ kind: entry.name === 'mimetype' ? 'store' : 'keep' }),
})

import { ZIP } from '../../catalog/formats/zip.ts'
import { compressWrapped, isWrapper, verifyWrapped } from '../../containers/wrapper/wrapper.ts'
import { openZip } from '../../containers/zip/read.ts'
import { repack, verifyRepacked } from '../../containers/zip/repack.ts'
import type { Codec } from '../../model/codec.ts'
import { findObstacle } from './signed.ts'
import { storedEntries } from './stored.ts'

/**
 * ZIP archives of any kind (APPNOTE.TXT 6.3.10): JAR, unsigned APK, XPI, wheels, comic books. Every member keeps its bytes, its place and its
 * metadata. Members that programs read in place stay stored. An archive whose signature covers compressed bytes stays unchanged.
 */
export const zip: Codec = {
  format: ZIP,

  async compress(source, sink, options) {
    if (isWrapper(options.output)) return compressWrapped(source, sink, options)
    const archive = await openZip(source, ZIP.id)
    const obstacle = await findObstacle(archive)
    if (obstacle) return obstacle
    return repack(archive, sink, options, { chooseAction: await storedEntries(archive) })
  },

  async verify(original, result, _outcome, options) {
    if (isWrapper(options.output)) return verifyWrapped(original, result, options)
    return verifyRepacked(await openZip(original, ZIP.id), result, options)
  },
}

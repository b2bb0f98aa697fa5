/** Codecs of OpenDocument packages (OASIS OpenDocument 1.0 to 1.3, ISO/IEC 26300) and of their templates. */
import { ODG, ODP, ODS, ODT } from '../../catalog/formats/odf.ts'
import type { Tag } from '../../containers/xml/scan.ts'
import { isMimetype, mimetypeFirst } from '../../containers/zip/mimetype.ts'
import { openZip, type ZipArchive } from '../../containers/zip/read.ts'
import { type PackageFacts, packageCodec } from '../../embedded/package-codec.ts'
import { pictureReferences, type ReferenceRules } from '../../embedded/picture-references.ts'
import { message } from '../../i18n/message.ts'
import type { MetadataCodec } from '../../model/codec.ts'
import { encryptionOf, isSigned, isThumbnail, MANIFEST } from './package.ts'
import { displayedSizes } from './shown.ts'
import { MAX_EDITED_BYTES } from './tuning.ts'
import { withoutOdfMetadata } from './without-metadata.ts'

const isManifestItem = (holder: string, { local }: Tag) => holder === MANIFEST && local === 'file-entry'

const REFERENCES: ReferenceRules = {
  // Embedded objects of other programs and their pictures are binary.
  isNoText: (name) =>
    /\.(png|jpe?g|gif|bmp|tiff?|webp|avif|svm|emf|wmf|ttf|otf|woff2?|mp[34]|m4[av]|ogg|opus|webm|wav)$/i.test(name) ||
    /^(ObjectReplacements\/.*|(.*\/)?Object \d+)$/.test(name),
  isMarkup: (name) => /\.(xml|rdf)$/i.test(name),
  // Paths in the manifest are relative to the package (part 2, 4.8.4), addresses to the file that has them.
  folderOf: (holder) => (holder === MANIFEST ? '' : holder.slice(0, Math.max(0, holder.lastIndexOf('/')))),
  addresses: new Set(['href', 'full-path']),
  isManifestItem,
  typeAttribute: (holder, tag) => (isManifestItem(holder, tag) ? 'media-type' : 'mime-type'),
  isFixed: isThumbnail,
}

const SIGNED = message('signed_parts_kept')

async function survey(archive: ZipArchive): Promise<PackageFacts> {
  if (isSigned(archive)) return { signed: SIGNED }
  const references = await pictureReferences(archive, REFERENCES)
  return { shown: await displayedSizes(archive), ...(references && { references }) }
}

/**
 * Returns the codec of one kind of document. Texts stay byte for byte. Pictures are recompressed and downsampled to their displayed size.
 * PNG photographs become JPEG if only the manifest and texts refer to them.
 */
function odfCodec(format: MetadataCodec['format']): MetadataCodec {
  const codec = packageCodec(format, { survey, reorder: mimetypeFirst, isStored: isMimetype })
  return {
    ...codec,
    async compress(source, sink, options) {
      const archive = await openZip(source, format.id)
      const encryption = await encryptionOf(archive, MAX_EDITED_BYTES)
      if (encryption === 'encrypted') return { kind: 'unchanged', reason: 'encrypted', detail: message('document_under_password') }
      if (encryption === 'unknown') return { kind: 'unchanged', reason: 'unsupported_feature', detail: message('manifest_unreadable') }
      if (options.metadata && isSigned(archive)) return { kind: 'unchanged', reason: 'signed', detail: SIGNED }
      return codec.compress(source, sink, options)
    },
    withoutMetadata: (source, mode) => withoutOdfMetadata(source, format.id, mode),
  }
}

export const odt = odfCodec(ODT)
export const ods = odfCodec(ODS)
export const odp = odfCodec(ODP)
export const odg = odfCodec(ODG)

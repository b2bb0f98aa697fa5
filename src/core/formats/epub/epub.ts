import { isEngineError } from '../../../../wasm/engine-error.ts'
import { EPUB } from '../../catalog/formats/epub.ts'
import { decodeXml, scanTags, type Tag } from '../../containers/xml/scan.ts'
import type { ZipEntry } from '../../containers/zip/entry.ts'
import { isMimetype, mimetypeFirst } from '../../containers/zip/mimetype.ts'
import { readEntry, type ZipArchive } from '../../containers/zip/read.ts'
import { type PackageFacts, packageCodec } from '../../embedded/package-codec.ts'
import { pictureReferences, type ReferenceRules } from '../../embedded/picture-references.ts'
import { message } from '../../i18n/message.ts'
import type { MetadataCodec } from '../../model/codec.ts'
import { malformed } from '../../model/error.ts'

function reorder(archive: ZipArchive): ZipArchive {
  if (!archive.entries.some(isMimetype)) throw malformed('epub', 0, 'no_mimetype')
  return mimetypeFirst(archive)
}

const ADDRESSES: ReadonlySet<string> = new Set(['href', 'src', 'poster', 'data', 'altimg'])
/** The package document (EPUB 3.3, 5.6.2) lists all files. */
const isManifestItem = (holder: string, { local }: Tag) => local === 'item' && /\.opf$/i.test(holder)

const REFERENCES: ReferenceRules = {
  isNoText: (name) => /\.(png|jpe?g|gif|bmp|webp|avif|ttf|otf|woff2?|mp[34]|m4[av]|ogg|opus|webm)$/i.test(name),
  isMarkup: (name) => /\.(opf|ncx|xhtml|html?|xml|smil)$/i.test(name),
  folderOf: (holder) => holder.slice(0, Math.max(0, holder.lastIndexOf('/'))),
  addresses: ADDRESSES,
  isManifestItem,
  typeAttribute: (holder, tag) => (isManifestItem(holder, tag) ? 'media-type' : undefined),
}

async function survey(archive: ZipArchive): Promise<PackageFacts> {
  const find = (name: string) => archive.entries.find((entry) => entry.name.toLowerCase() === name)
  if (find('meta-inf/signatures.xml')) return { signed: message('signed_files_kept') }
  // A rights file restricts resources in ways that are not documented (EPUB OCF 3.3, 4.2.6.3.4).
  if (find('meta-inf/rights.xml')) return { signed: message('rights_management_kept') }
  const encryption = find('meta-inf/encryption.xml')
  if (encryption) return encrypted(archive, encryption)
  const references = await pictureReferences(archive, REFERENCES)
  return references ? { references } : {}
}

/** Resources that `encryption.xml` lists must stay, because they are encrypted or obfuscated (EPUB OCF 3.3, 4.2.6.3.2). */
async function encrypted(archive: ZipArchive, encryption: ZipEntry): Promise<PackageFacts> {
  const unreadable: PackageFacts = { signed: message('encryption_unreadable_kept') }
  if (encryption.opaque || encryption.size > 4 * 1024 * 1024) return unreadable
  try {
    const names = new Set<string>()
    for (const tag of scanTags(decodeXml(await readEntry(archive, encryption)))) {
      const uri = tag.local === 'CipherReference' ? tag.get('URI') : undefined
      if (uri !== undefined) names.add(decodeURIComponent(uri).replace(/^\//, ''))
    }
    return { untouchable: new Set(archive.entries.filter((entry) => names.has(entry.name))) }
  } catch (error) {
    if (isEngineError(error, 'xml') || error instanceof URIError) return unreadable
    throw error
  }
}

/**
 * EPUB 2 and 3. Texts and styles stay byte for byte; pictures are recompressed. PNG photographs become JPEG if only the manifest and pages
 * refer to them. The option `metadata` removes the metadata of pictures. The entries of the book itself stay, because libraries need them.
 */
export const epub: MetadataCodec = {
  ...packageCodec(EPUB, { survey, reorder, isStored: isMimetype }),
  withoutMetadata: async (source) => source,
}

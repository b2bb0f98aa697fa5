/** Inventory of EPUB 2 and 3 (EPUB 3.3, EPUB OCF 3.3, OPF 2.0.1). */
import type { InventoryReader } from '../inventory.ts'
import type { ZipMember } from '../zip.ts'
import { packageDocumentVisitor, pageVisitor } from './epub-parts.ts'
import {
  isMedia,
  isPicture,
  leafOf,
  PACKAGE_LIBRARIES,
  Package,
  PICTURE_NAMES,
  withoutPictureExtension,
  type XmlReading,
} from './package.ts'
import type { XmlVisitor } from './xml.ts'

export const epub: InventoryReader = {
  library: PACKAGE_LIBRARIES,
  async read(source, signal) {
    const archive = await Package.open(source, 'epub', signal)
    await archive.addSurroundings('archive_comments')
    const documents = await packageDocuments(archive)
    for (const member of archive.inFileOrder) await addFile(archive, member, documents)
    return archive.builder.build()
  },
}

const CONTAINER = 'META-INF/container.xml'
const MAX_PACKAGE_DOCUMENTS = 100

/** Names of the package documents that the container lists. */
async function packageDocuments(archive: Package): Promise<ReadonlySet<string>> {
  const names = new Set<string>()
  const container = archive.files.find(({ name }) => name === CONTAINER)
  if (!container || !archive.content.isReadable(container)) return names
  await archive.parse(container, {
    open({ local, attributes }) {
      const path = local === 'rootfile' ? attributes['full-path'] : undefined
      if (path !== undefined && names.size < MAX_PACKAGE_DOCUMENTS) names.add(path)
      return undefined
    },
  })
  return names
}

const MARKUP = /\.(opf|ncx|xhtml|html?|xml|smil)$/i

async function addFile(archive: Package, member: ZipMember, documents: ReadonlySet<string>): Promise<void> {
  const { name } = member
  if (name === 'META-INF/encryption.xml' || name === 'META-INF/rights.xml') archive.add('features', name)
  const isDocument = documents.has(name)
  if ((isDocument || MARKUP.test(name)) && archive.content.isReadable(member)) {
    archive.add('parts', name)
    await archive.readXml(member, partReading(name, isDocument))
    return
  }
  const facts = await archive.describe(member)
  if (/\.(ttf|otf|woff2?)$/i.test(name)) archive.add('fonts', leafOf(name))
  if (isMedia(name)) archive.addMedia(name, facts)
  else archive.add('parts', isPicture(facts.start) ? withoutPictureExtension(name) : `${name} = ${facts.text}`)
}

function partReading(name: string, isPackageDocument: boolean): XmlReading {
  return {
    key: `epub ${isPackageDocument ? 'package' : 'page'}`,
    visitor: (add): XmlVisitor => ({
      ...(isPackageDocument ? packageDocumentVisitor(add) : pageVisitor(add, name)),
      comparedText: (text) => text.replace(PICTURE_NAMES, 'picture'),
    }),
    finish: (add, { digest }) => add('texts', `${name} = content #${digest}`),
  }
}

/** Inventories of archives whose files people see: KMZ (OGC 12-007r2), Shapefile bundles and other ZIP archives. */
import type { InventoryReader } from '../inventory.ts'
import type { ZipMember } from '../zip.ts'
import { type AddItem, extensionOf, isPicture, PACKAGE_LIBRARIES, Package } from './package.ts'
import { addDatabase, addShapes } from './shapefile.ts'
import type { XmlVisitor } from './xml.ts'

/** `format`: name in errors. `picturesMayChange`: true if the codec compresses pictures inside. */
const archiveReader = (format: string, picturesMayChange: boolean): InventoryReader => ({
  library: PACKAGE_LIBRARIES,
  async read(source, signal) {
    const archive = await Package.open(source, format, signal)
    await archive.addSurroundings('comments')
    for (const member of archive.content.directory.members) {
      if (member.isFolder) archive.add('members', member.name)
      const extra = await archive.content.describeExtra(member)
      archive.add('member_attributes', `${member.name} = ${member.attributes} ${extra}`)
    }
    for (const member of archive.inFileOrder) await addFile(archive, member, picturesMayChange)
    return archive.builder.build()
  },
})

export const kmz = archiveReader('kmz', true)
export const shapefile = archiveReader('shapefile', false)
export const zip = archiveReader('zip', false)

async function addFile(archive: Package, member: ZipMember, picturesMayChange: boolean): Promise<void> {
  const { name } = member
  const extension = extensionOf(name)
  if (extension === 'kml' && archive.content.isReadable(member)) {
    await archive.readXml(member, {
      key: 'kml',
      visitor: kmlVisitor,
      finish: (add, { digest }) => add('members', `${name} = content #${digest}`),
    })
    return
  }
  const { text, start } = await archive.describe(member)
  archive.add('members', picturesMayChange && isPicture(start) ? name : `${name} = ${text}`)
  if (extension === 'dbf') await addDatabase(archive, member)
  if (extension === 'shp') await addShapes(archive, member)
}

const ELEMENTS = new Set('Placemark GroundOverlay NetworkLink PhotoOverlay ScreenOverlay Folder Tour Style StyleMap'.split(' '))

/** Elements that people see in a viewer, and links (OGC 12-007r2). */
function kmlVisitor(add: AddItem): XmlVisitor {
  return {
    open({ local }) {
      if (ELEMENTS.has(local)) add('elements', local)
      return local === 'href' ? (text) => add('links', text) : undefined
    },
  }
}

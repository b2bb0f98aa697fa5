/** Inventories of OpenDocument packages (OASIS OpenDocument 1.3; ISO/IEC 26300). */
import { digestOf } from '../digest.ts'
import type { InventoryReader } from '../inventory.ts'
import type { ZipMember } from '../zip.ts'
import { partReading } from './odf-parts.ts'
import { isMedia, isPicture, leafOf, PACKAGE_LIBRARIES, Package, withoutPictureExtension } from './package.ts'

const odf = (format: string): InventoryReader => ({
  library: PACKAGE_LIBRARIES,
  async read(source, signal) {
    const archive = await Package.open(source, format, signal)
    await archive.addSurroundings('archive_comments')
    const names = new Set(archive.files.map(({ name }) => name))
    // References to missing files are items, so items of a text depend on the names of all files.
    const key = digestOf(new TextEncoder().encode([...names].sort().join('\0')))
    for (const member of archive.inFileOrder) await addFile(archive, member, names, key)
    return archive.builder.build()
  },
})

export const odt = odf('odt')
export const ods = odf('ods')
export const odp = odf('odp')
export const odg = odf('odg')

/** Objects of other programs, and their pictures (part 2, 3.5). */
const OBJECT = /^(?:ObjectReplacements\/.+|Object \d+)$/
const MACROS = /^(?:Basic|Dialogs|Scripts)\//

async function addFile(archive: Package, member: ZipMember, names: ReadonlySet<string>, key: string): Promise<void> {
  const { name } = member
  if (/^META-INF\/.*signature/i.test(name)) archive.add('signatures', name)
  const object = /^(Object \d+)\/content\.xml$/.exec(name)?.[1]
  if (object !== undefined) archive.add('embedded_objects', object)
  if (/\.(xml|rdf)$/i.test(name) && archive.content.isReadable(member)) {
    archive.add('parts', name)
    if (MACROS.test(name)) archive.add('macros', `${name} = ${(await archive.describe(member)).text}`)
    await archive.readXml(member, partReading(name, names, key))
    return
  }
  const facts = await archive.describe(member)
  if (name.startsWith('Thumbnails/')) return archive.add('media', `thumbnail${isPicture(facts.start) ? '' : ` = ${facts.text}`}`)
  if (MACROS.test(name)) archive.add('macros', `${name} = ${facts.text}`)
  if (OBJECT.test(name)) archive.add('embedded_objects', `${name} = ${facts.text}`)
  if (/\.(ttf|otf|woff2?)$/i.test(name)) archive.add('fonts', leafOf(name))
  if (!isMedia(name)) archive.add('parts', `${name} = ${facts.text}`)
  else archive.addMedia(name, facts, ` ${isPicture(facts.start) ? withoutPictureExtension(name) : name}`)
}

/** Inventory of OFD (GB/T 33190-2016). */
import type { InventoryReader } from '../inventory.ts'
import type { ZipMember } from '../zip.ts'
import { type AddItem, extensionOf, isMedia, isPicture, PACKAGE_LIBRARIES, Package, type XmlReading } from './package.ts'
import { attributeOf, type TextReceiver, type XmlElement } from './xml.ts'

export const ofd: InventoryReader = {
  library: PACKAGE_LIBRARIES,
  async read(source, signal) {
    const archive = await Package.open(source, 'ofd', signal)
    await archive.addSurroundings('archive_comments')
    const paths = new Set(archive.files.map(({ name }) => normalPath(name)))
    for (const member of archive.inFileOrder) {
      if (extensionOf(member.name) !== 'xml' || !archive.content.isReadable(member)) await addFile(archive, member)
      else if ((await archive.readXml(member, partReading(member.name))) === 'Res') await addReferences(archive, member, paths)
    }
    return archive.builder.build()
  },
}

async function addFile(archive: Package, member: ZipMember): Promise<void> {
  const facts = await archive.describe(member)
  if (/\.(ttf|otf|cff)$/i.test(member.name)) archive.add('fonts', 'font file')
  if (isMedia(member.name)) archive.addMedia(member.name, facts)
  else archive.add('parts', isPicture(facts.start) ? 'picture' : `${extensionOf(member.name)} = ${facts.text}`)
}

/** Elements of a resource list that name a file (GB/T 33190-2016, 7.9). */
const FILE_ELEMENTS = new Set(['MediaFile', 'FontFile'])
/** Names of files. A result may rename pictures and merge equal files. */
const FILE_NAMES = /(<(?:\w+:)?(?:MediaFile|FontFile)\b[^<>]*>)[^<]*/g

function partReading(name: string): XmlReading {
  return {
    key: 'ofd',
    visitor: (add) => ({
      open: (element) => openElement(add, element),
      comparedText: (text) => text.replace(FILE_NAMES, '$1'),
    }),
    finish(add, { root, digest, isXml }) {
      add('parts', isXml ? `xml ${root}` : 'xml')
      add('texts', `${name} = content #${digest}`)
    },
  }
}

const PROPERTIES = new Set(
  'Title Author Subject Abstract CreationDate ModDate DocID Creator CreatorVersion Keyword CustomData DocUsage Cover'.split(' '),
)
const NAMED_FEATURES = new Set(['CustomTag', 'Signature', 'Extension', 'Version'])
const FEATURES = new Set(['Permissions', 'VPreferences', 'MultiMedia', 'DrawParam', 'Composite', 'Layer'])
const BOXES = new Set(['PhysicalBox', 'ApplicationBox', 'ContentBox', 'CropBox', 'BleedBox'])
const ACTIONS = new Set(['URI', 'Goto', 'GotoA', 'Sound', 'Movie'])

function openElement(add: AddItem, element: XmlElement): TextReceiver | undefined {
  const { local, attributes } = element
  const named = () => attributes['Name'] || attributes['NameSpace'] || attributes['AppName'] || ''
  if (PROPERTIES.has(local)) return (text) => add('properties', `${local} ${attributes['Name'] ?? ''} = ${text}`)
  if (BOXES.has(local)) return (text) => add('page_boxes', `${local} ${text}`)
  if (local === 'Annot') return (text) => add('annotations', `${attributes['Type'] ?? ''} ${text}`)
  if (local === 'Page' || local === 'TemplatePage') {
    if (attributes['BaseLoc']) add('pages', local)
  } else if (local === 'OutlineElem' || local === 'Bookmark') add('outline', `${local} ${attributes['Title'] || attributes['Name'] || ''}`)
  else if (local === 'Attachment') add('attachments', `Attachment ${named()}`)
  else if (local === 'Font' && attributes['FontName']) add('fonts', attributes['FontName'])
  else if (ACTIONS.has(local)) add('links', `${local} ${attributes['URI'] ?? ''}`)
  else if (NAMED_FEATURES.has(local)) add('features', `${local} ${named()}`)
  else if (FEATURES.has(local)) add('features', local)
  return undefined
}

/** Adds the files that a resource list names. A file that does not exist is marked, so that a lost file changes the item. */
async function addReferences(archive: Package, member: ZipMember, paths: ReadonlySet<string>): Promise<void> {
  const folder = member.name.replace(/\\/g, '/').split('/').slice(0, -1).join('/')
  let base = ''
  await archive.parse(member, {
    open(element) {
      const { local, parent } = element
      if (local === 'Res') base = attributeOf(element, 'BaseLoc') ?? ''
      if (!FILE_ELEMENTS.has(local)) return undefined
      return (text) => {
        const isThere = [`${folder}/${base}/${text}`, `${base}/${text}`, text].some((path) => paths.has(normalPath(path)))
        const id = parent ? (attributeOf(parent, 'ID') ?? '') : ''
        archive.add('relationships', `${local} ${id} of ${member.name}${isThere ? '' : ', file missing'}`)
      }
    },
  })
}

/** Paths are compared without case, and both slashes are separators (GB/T 33190-2016, 7.3). */
function normalPath(path: string): string {
  const segments: string[] = []
  for (const segment of path.replace(/\\/g, '/').toLowerCase().split('/')) {
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  return segments.join('/')
}

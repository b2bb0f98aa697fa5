/** Entries of the catalog that concern the whole document (ISO 32000-2, 7.7.2), the document information and the permissions. */
import { oneAction, placeText } from './actions.ts'
import { addApplicationData, addAssociatedFiles, addAttachment } from './attachments.ts'
import { type PdfDocument, treeEntries } from './document.ts'
import { textOf } from './text.ts'
import { nameText, PdfDictionary, PdfName, PdfStream, PdfString, type PdfValue } from './values.ts'

const PROPERTIES = [
  'Lang',
  'PageMode',
  'PageLayout',
  'ViewerPreferences',
  'MarkInfo',
  'URI',
  'Collection',
  'Legal',
  'Requirements',
  'NeedsRendering',
  'DPartRoot',
  'SpiderInfo',
] as const
/** Name trees of the catalog that are not described apart. */
const OTHER_NAMES = ['Pages', 'Templates', 'IDS', 'URLS', 'AlternatePresentations', 'Renditions'] as const

export async function addCatalog(document: PdfDocument): Promise<void> {
  const { file, catalog, items, spelling } = document
  for (const key of PROPERTIES) {
    if ((await file.resolve(catalog.get(key))) !== null) items.add('document_properties', `${key} = ${await spelling.of(catalog.get(key))}`)
  }
  const opening = await file.resolve(catalog.get('OpenAction'))
  if (opening !== null) {
    const text = opening instanceof PdfDictionary ? await oneAction(document, opening) : `to ${await placeText(document, opening)}`
    items.add('document_properties', `OpenAction = ${text}`)
  }
  if ((await file.resolve(catalog.get('AA'))) !== null) items.add('scripts', `document = ${await spelling.of(catalog.get('AA'))}`)
  await addNames(document)
  await addOutputIntents(document)
  await addAssociatedFiles(document, '', catalog)
  await addApplicationData(document, 'document', catalog)
  await addPermissions(document)
  await addInformation(document)
}

/** Adds destinations, attachments and scripts by name, and the size of other name trees (ISO 32000-2, 7.7.4). */
async function addNames(document: PdfDocument): Promise<void> {
  const { file, catalog, items, spelling } = document
  const names = await file.dictionary(catalog.get('Names'))
  for await (const [name, target] of treeEntries(document, names?.get('Dests'), 'Names')) {
    items.add('destinations', `${await spelling.of(name)} = ${await placeText(document, target)}`)
  }
  for (const [name, target] of (await file.dictionary(catalog.get('Dests'))) ?? []) {
    items.add('destinations', `${name} = ${await placeText(document, target)}`)
  }
  for await (const [name, specification] of treeEntries(document, names?.get('EmbeddedFiles'), 'Names')) {
    await addAttachment(document, await spelling.of(name), specification)
  }
  for await (const [name, script] of treeEntries(document, names?.get('JavaScript'), 'Names')) {
    items.add('scripts', `${await spelling.of(name)} = ${await spelling.of(script)}`)
  }
  for (const key of OTHER_NAMES) {
    let count = 0
    for await (const _ of treeEntries(document, names?.get(key), 'Names')) count++
    if (count > 0) items.add('document_properties', `names of ${key} = ${count}`)
  }
}

async function addOutputIntents({ file, catalog, items, spelling }: PdfDocument): Promise<void> {
  for (const value of await file.array(catalog.get('OutputIntents'))) {
    const intent = await file.dictionary(value)
    if (!intent) continue
    const profile = await file.resolve(intent.get('DestOutputProfile'))
    const name = nameText(await file.resolve(intent.get('S')))
    const digest = profile instanceof PdfStream ? await file.streams.digest(profile) : 'no profile'
    items.add('output_intents', `${name} = ${digest} ${await spelling.entries(intent, ['S', 'Type', 'DestOutputProfile'])}`)
  }
}

/** Adds what the encryption permits, and the rights that signatures give to the document (ISO 32000-2, 12.8.6). */
async function addPermissions({ file, catalog, items, spelling }: PdfDocument): Promise<void> {
  if (file.encryption !== undefined) items.add('permissions', file.encryption)
  for (const [key, rights] of (await file.dictionary(catalog.get('Perms'))) ?? []) {
    items.add('permissions', `${USAGE_RIGHTS} ${key} = ${await spelling.of(rights)}`)
  }
}

/** First words of an item about usage rights or the permissions of a certified document. */
const USAGE_RIGHTS = 'rights by signature'

/** Adds the document information dictionary (ISO 32000-2, 14.3.3). */
async function addInformation({ file, items }: PdfDocument): Promise<void> {
  for (const [key, value] of (await file.dictionary(file.trailer.get('Info'))) ?? []) {
    const text = informationText(await file.resolve(value))
    if (text !== undefined && key !== 'Type') items.add('document_information', `${key} = ${text}`)
  }
}

function informationText(value: PdfValue): string | undefined {
  if (value instanceof PdfString) return textOf(value)
  return value instanceof PdfName ? value.text : undefined
}

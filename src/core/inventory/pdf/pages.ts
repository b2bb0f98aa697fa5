/** Pages: boxes, properties, annotations, links and thumbnails (ISO 32000-2, 7.7.3.3 and 12.5). */
import { actionText } from './actions.ts'
import { addApplicationData, addAssociatedFiles, addAttachment } from './attachments.ts'
import { inherited, type PdfDocument } from './document.ts'
import { addFonts, type SeenResources } from './fonts.ts'
import { numberText } from './text.ts'
import { nameText, PdfDictionary, PdfStream, type PdfValue } from './values.ts'

const INHERITED = ['MediaBox', 'CropBox', 'Rotate'] as const
const OWN_BOXES = ['BleedBox', 'TrimBox', 'ArtBox', 'UserUnit'] as const
const PROPERTIES = ['Trans', 'Dur', 'VP', 'AA', 'Tabs', 'PresSteps', 'SeparationInfo', 'PZ', 'Hid', 'Metadata', 'OutputIntents'] as const

/** Adds the pages in the order of the file, because neighbouring pages share blocks. */
export async function addPages(document: PdfDocument, seen: SeenResources): Promise<void> {
  const { file, pages, items, signal } = document
  const order = pages.map((number, index) => ({ number, page: index + 1, at: file.positionOf(number) })).sort((a, b) => a.at - b.at)
  for (const { number, page } of order) {
    signal.throwIfAborted()
    items.add('pages', 'page')
    const dictionary = await file.dictionary(await file.object(number))
    if (dictionary) await addPage(document, page, dictionary, seen)
  }
}

async function addPage(document: PdfDocument, page: number, dictionary: PdfDictionary, seen: SeenResources): Promise<void> {
  const { file, items, spelling } = document
  const place = `page ${page}`
  for (const key of INHERITED) {
    const value = await inherited(document, dictionary, key)
    if (value !== null && value !== 0) items.add('page_boxes', `${place} ${key} = ${await spelling.of(value)}`)
  }
  const addEntries = async (kind: 'page_boxes' | 'page_properties', keys: readonly string[]) => {
    for (const key of keys) {
      const value = await file.resolve(dictionary.get(key))
      if (value !== null) items.add(kind, `${place} ${key} = ${await spelling.of(dictionary.get(key))}`)
    }
  }
  await addEntries('page_boxes', OWN_BOXES)
  await addEntries('page_properties', PROPERTIES)
  if ((await file.resolve(dictionary.get('Thumb'))) !== null) items.add('page_thumbnails', place)
  await addAssociatedFiles(document, `${place} `, dictionary)
  await addApplicationData(document, place, dictionary)
  await addFonts(document, await inherited(document, dictionary, 'Resources'), seen)
  for (const note of await file.array(dictionary.get('Annots'))) {
    const annotation = await file.resolve(note)
    if (annotation instanceof PdfDictionary) await addAnnotation(document, page, annotation, seen)
  }
}

/** Entries of an annotation that are described apart. Entries of form fields are described with the field. */
const DESCRIBED = ['Type', 'Subtype', 'Rect', 'AP', 'A', 'Dest', 'FS', 'AF', 'Alt', 'Kids', 'V', 'DV', 'Opt']

async function addAnnotation(document: PdfDocument, page: number, annotation: PdfDictionary, seen: SeenResources): Promise<void> {
  const { file, items, spelling } = document
  const kind = nameText(await file.resolve(annotation.get('Subtype')))
  const corners: string[] = []
  for (const corner of await file.array(annotation.get('Rect'))) corners.push(await cornerText(document, corner))
  const place = `page ${page} ${kind === 'Link' ? '' : `${kind} `}[${corners.join(' ')}]`
  const parts = [
    await actionText(document, annotation),
    await spelling.entries(annotation, DESCRIBED),
    await appearances(document, annotation),
  ]
  items.add(kind === 'Link' ? 'links' : 'annotations', `${place} = ${parts.filter((part) => part !== '').join(' ')}`)
  if ((await file.resolve(annotation.get('FS'))) !== null) await addAttachment(document, `page ${page}`, annotation.get('FS'))
  if ((await file.resolve(annotation.get('Alt'))) !== null) items.add('alternative_texts', await spelling.of(annotation.get('Alt')))
  await addAssociatedFiles(document, `${place} `, annotation)
  await addApplicationData(document, place, annotation)
  await addAppearanceFonts(document, annotation, seen)
}

async function cornerText({ file }: PdfDocument, corner: PdfValue): Promise<string> {
  const value = await file.resolve(corner)
  return typeof value === 'number' ? numberText(Math.round(value * 10) / 10) : '?'
}

/** Names of the appearances of an annotation and of their states (ISO 32000-2, 12.5.5). The codec compares what they draw. */
async function appearances({ file }: PdfDocument, annotation: PdfDictionary): Promise<string> {
  const found = await file.dictionary(annotation.get('AP'))
  if (!found) return ''
  const names: string[] = []
  for (const key of [...found.keys()].sort()) {
    const value = await file.resolve(found.get(key))
    if (value instanceof PdfStream) names.push(key)
    else if (value instanceof PdfDictionary) names.push(`${key}(${[...value.keys()].sort().join(' ')})`)
  }
  return `appearances ${names.join(' ')}`
}

async function addAppearanceFonts(document: PdfDocument, annotation: PdfDictionary, seen: SeenResources): Promise<void> {
  const { file } = document
  const states = await file.dictionary(annotation.get('AP'))
  for (const state of states?.values() ?? []) {
    const value = await file.resolve(state)
    const streams = value instanceof PdfStream ? [value] : value instanceof PdfDictionary ? [...value.values()] : []
    for (const one of streams) {
      const stream = await file.resolve(one)
      if (stream instanceof PdfStream) await addFonts(document, stream.dictionary.get('Resources'), seen)
    }
  }
}

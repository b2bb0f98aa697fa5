/** Fonts by name, from the resources of pages, forms, patterns and appearances (ISO 32000-2, 7.8.3 and 9.5). */
import { addApplicationData } from './attachments.ts'
import type { PdfDocument } from './document.ts'
import { nameText, type PdfDictionary, PdfReference, PdfStream, type PdfValue } from './values.ts'
import { NumberSet } from './xref-table.ts'

const SUBSET_TAG = /^[A-Z]{6}\+/
/** Most forms inside of forms. */
const MAX_DEPTH = 24

/** Objects whose fonts are known. */
export type SeenResources = NumberSet
export const seenResources = (): SeenResources => new NumberSet()

/** Adds each font of a resource dictionary once, without its subset tag. How often a font is stored does not count. */
export async function addFonts(document: PdfDocument, resources: PdfValue | undefined, seen: SeenResources, depth = 0): Promise<void> {
  const { file, signal } = document
  const isNew = (value: PdfValue | undefined) => !(value instanceof PdfReference) || seen.add(value.number)
  if (depth > MAX_DEPTH || !isNew(resources)) return
  const dictionary = await file.dictionary(resources)
  if (!dictionary) return
  signal.throwIfAborted()
  if (isNew(dictionary.get('Font'))) {
    const fonts = await file.dictionary(dictionary.get('Font'))
    for (const font of fonts?.values() ?? []) if (isNew(font)) await addFont(document, font, seen, depth)
  }
  for (const key of ['XObject', 'Pattern']) {
    if (!isNew(dictionary.get(key))) continue
    const objects = await file.dictionary(dictionary.get(key))
    for (const object of objects?.values() ?? []) {
      const stream = isNew(object) ? await file.resolve(object) : null
      if (!(stream instanceof PdfStream)) continue
      await addApplicationData(document, 'drawing', stream.dictionary)
      await addFonts(document, stream.dictionary.get('Resources'), seen, depth + 1)
    }
  }
}

async function addFont(document: PdfDocument, value: PdfValue, seen: SeenResources, depth: number): Promise<void> {
  const { file, items } = document
  const font = await file.dictionary(value)
  if (!font) return
  const isType3 = nameText(await file.resolve(font.get('Subtype'))) === 'Type3'
  const name = nameText(await file.resolve(font.get('BaseFont'))).replace(SUBSET_TAG, '')
  if (name !== '') items.addOnce('fonts', isType3 || (await isEmbedded(document, font)) ? `${name} embedded` : name)
  if (isType3) await addFonts(document, font.get('Resources'), seen, depth + 1)
}

/** True if the file holds the font program (ISO 32000-2, 9.9). Composite fonts have it in their descendant. */
async function isEmbedded({ file }: PdfDocument, font: PdfDictionary): Promise<boolean> {
  const [descendant] = await file.array(font.get('DescendantFonts'))
  const holder = (await file.dictionary(descendant)) ?? font
  const descriptor = await file.dictionary(holder.get('FontDescriptor'))
  for (const key of ['FontFile', 'FontFile2', 'FontFile3']) if ((await file.resolve(descriptor?.get(key))) instanceof PdfStream) return true
  return false
}

/** Adds the fonts that form fields name, with their resource names. */
export async function addFontsOfForms({ file, items }: PdfDocument, form: PdfDictionary): Promise<void> {
  const resources = await file.dictionary(form.get('DR'))
  const fonts = await file.dictionary(resources?.get('Font'))
  for (const [key, value] of fonts ?? []) {
    const font = await file.dictionary(value)
    const name = nameText(await file.resolve(font?.get('BaseFont'))).replace(SUBSET_TAG, '')
    if (name !== '') items.addOnce('fonts_of_forms', `${key} ${name}`)
  }
}

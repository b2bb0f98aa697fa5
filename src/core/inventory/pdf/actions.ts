/** Where links, bookmarks and actions lead (ISO 32000-2, 12.3.2 and 12.6). */
import type { PdfDocument } from './document.ts'
import { textOf } from './text.ts'
import { nameText, PdfDictionary, PdfName, PdfString, type PdfValue } from './values.ts'

/** Describes a destination: a page and its view, or the name of a destination. */
export async function placeText({ file, spelling }: PdfDocument, target: PdfValue | undefined): Promise<string> {
  const found = await file.resolve(target)
  if (found instanceof PdfString) return `#${textOf(found)}`
  if (found instanceof PdfName) return `#${found.text}`
  const view = await file.resolve(found instanceof PdfDictionary ? found.get('D') : found)
  if (!Array.isArray(view) || view.length === 0) return 'nowhere'
  const [first, ...rest] = view
  const number = spelling.pageOf(first) ?? (typeof first === 'number' ? first + 1 : undefined)
  const page = number === undefined ? await spelling.of(first) : `page ${number}`
  return `${page} ${await spelling.of(rest)}`
}

/** Describes what the action or the destination of a link, bookmark or annotation does. Empty: nothing. */
export async function actionText(document: PdfDocument, holder: PdfDictionary): Promise<string> {
  const { file, spelling } = document
  if ((await file.resolve(holder.get('Dest'))) !== null) return `to ${await placeText(document, holder.get('Dest'))}`
  const action = await file.resolve(holder.get('A'))
  return action instanceof PdfDictionary ? await oneAction(document, action) : action === null ? '' : await spelling.of(action)
}

/** Describes one action and those that follow it. */
export async function oneAction(document: PdfDocument, action: PdfDictionary): Promise<string> {
  const { file, spelling } = document
  const kind = nameText(await file.resolve(action.get('S')))
  const [leads, rest] =
    kind === 'GoTo'
      ? [`to ${await placeText(document, action.get('D'))}`, await spelling.entries(action, ['S', 'Type', 'D'])]
      : kind === 'URI'
        ? [`to ${await spelling.of(action.get('URI'))}`, await spelling.entries(action, ['S', 'Type', 'URI'])]
        : [kind, await spelling.entries(action, ['S', 'Type'])]
  return rest === '' ? leads : `${leads} ${rest}`
}

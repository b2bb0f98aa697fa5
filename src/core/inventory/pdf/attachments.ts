/** Attached files: file specifications and their streams (ISO 32000-2, 7.11). */
import type { PdfDocument } from './document.ts'
import { PdfDictionary, PdfStream, type PdfValue } from './values.ts'

/** Adds an attached file with its description and the digest of its content. */
export async function addAttachment(
  { file, spelling, items }: PdfDocument,
  name: string,
  specification: PdfValue | undefined,
): Promise<void> {
  const found = await file.resolve(specification)
  if (!(found instanceof PdfDictionary)) {
    if (found !== null) items.add('attachments', `${name} = ${await spelling.of(found)}`)
    return
  }
  const streams = await file.dictionary(found.get('EF'))
  const contents: string[] = []
  for (const key of [...(streams?.keys() ?? [])].sort()) {
    const stream = await file.resolve(streams?.get(key))
    if (!(stream instanceof PdfStream)) continue
    const parameters = await file.dictionary(stream.dictionary.get('Params'))
    const content = `${await file.streams.digest(stream)} ${await spelling.of(stream.dictionary.get('Subtype') ?? null)}`
    contents.push(parameters ? `${content} ${await spelling.entries(parameters)}` : content)
  }
  items.add('attachments', `${name} = ${[...new Set(contents)].join(', ')} ${await spelling.entries(found, ['EF', 'Type'])}`)
}

/** Adds the files that a part of the document is associated with (ISO 32000-2, 14.13). `place`: name of the part. */
export async function addAssociatedFiles({ file, spelling, items }: PdfDocument, place: string, holder: PdfDictionary): Promise<void> {
  const found = await file.resolve(holder.get('AF'))
  const list = Array.isArray(found) ? found : found instanceof PdfDictionary ? [found] : []
  for (const [index, specification] of list.entries()) {
    const entries = await file.dictionary(specification)
    items.add('associated_files', `${place}${index} = ${entries ? await spelling.entries(entries, ['EF', 'Type']) : 'missing'}`)
  }
}

/** Adds private data of applications (ISO 32000-2, 14.5), one item per application. */
export async function addApplicationData({ file, items }: PdfDocument, place: string, holder: PdfDictionary): Promise<void> {
  const applications = await file.dictionary(holder.get('PieceInfo'))
  for (const application of applications?.keys() ?? []) items.add('application_data', `${place}: ${application}`)
}

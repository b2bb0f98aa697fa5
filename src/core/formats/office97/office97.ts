/** Codecs of presentations and workbooks of Office 97 to 2003, with their pictures. */
import { equalBytes } from '../../bytes/equal.ts'
import { PPT, XLS } from '../../catalog/formats/office97.ts'
import type { Codec } from '../../model/codec.ts'
import { type Job, office97Codec, type Pair } from './document.ts'
import { groupProblem, smallerGroup } from './drawing-group.ts'
import type { FbseChange } from './fbse.ts'
import { changedDocument, openPresentation, presentationDifference, smallerPictures } from './ppt.ts'
import { besideDocument } from './recompress.ts'
import { openWorkbook, sheetsBegin, withGroup } from './xls.ts'

export const ppt: Codec = office97Codec(PPT, { write: writePresentation, compare: comparePresentations })
export const xls: Codec = office97Codec(XLS, { write: writeWorkbook, compare: compareWorkbooks })

async function writePresentation({ file, writer, tally, options }: Job): Promise<ReadonlySet<number>> {
  const presentation = await openPresentation(file, options)
  if (!presentation) return new Set()
  const changes = new Map<number, FbseChange>()
  const { picturesIndex, documentIndex, pictures, document } = presentation
  const inside = besideDocument(options, document.length)
  let bytes = 0
  await writer.add(
    picturesIndex,
    counted(smallerPictures(presentation, changes, tally, inside), (length) => (bytes += length)),
  )
  await writer.add(documentIndex, once(changedDocument(presentation, changes, pictures.size - bytes)))
  return new Set([picturesIndex, documentIndex])
}

async function comparePresentations({ before, after, verified, options }: Pair): Promise<ReadonlySet<number> | string> {
  const [old, fresh] = [await openPresentation(before, options), await openPresentation(after, options)]
  if (!old || !fresh) return new Set()
  return (await presentationDifference(old, fresh, verified, options.signal)) ?? new Set([old.picturesIndex, old.documentIndex])
}

async function writeWorkbook({ file, writer, tally, options }: Job): Promise<ReadonlySet<number>> {
  const workbook = await openWorkbook(file, options)
  if (!workbook || !sheetsBegin(workbook)) return new Set()
  const group = await smallerGroup(workbook.group, workbook.bytes.length + workbook.group.length, tally, options)
  if (!group) return new Set()
  await writer.add(workbook.index, once(withGroup(workbook, group)))
  return new Set([workbook.index])
}

async function compareWorkbooks({ before, after, verified, options }: Pair): Promise<ReadonlySet<number> | string> {
  const old = await openWorkbook(before, options)
  if (!old || !sheetsBegin(old)) return new Set()
  const fresh = await openWorkbook(after, options)
  if (!fresh || !sheetsBegin(fresh)) return 'the sheets do not begin where the workbook says'
  const problem = await groupProblem(old.group, fresh.group, verified, options.signal)
  if (problem) return problem
  const isSame = equalBytes(old.bytes, fresh.bytes) || equalBytes(withGroup(old, fresh.group), fresh.bytes)
  return isSame ? new Set([old.index]) : 'records of the workbook changed'
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

async function* counted(chunks: AsyncIterable<Uint8Array>, count: (length: number) => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    count(chunk.length)
    yield chunk
  }
}

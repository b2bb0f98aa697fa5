/** Codecs of binary Office documents (Office 97 to 2003): DOC, XLS and PPT in compound files. */
import { equalBytes } from '../../bytes/equal.ts'
import { DOC, PPT, XLS } from '../../catalog/formats/office97.ts'
import { compoundDifference } from '../../containers/cfb/compare.ts'
import { type CompoundFile, openCompoundFile } from '../../containers/cfb/read.ts'
import { CompoundRewriter, streamChunks, streamEntries } from '../../containers/cfb/rewrite.ts'
import { tailOf } from '../../containers/cfb/tail.ts'
import { suggestedZst } from '../../containers/wrapper/suggestion.ts'
import { compressWrapped, isWrapper, verifyWrapped } from '../../containers/wrapper/wrapper.ts'
import { streamDifference } from '../../containers/zip/compare.ts'
import { VerifiedFiles } from '../../embedded/verification-cache.ts'
import { message } from '../../i18n/message.ts'
import type { Codec, Options, Outcome, Sink, Source, Verdict } from '../../model/codec.ts'
import { isCodecError } from '../../model/error.ts'
import { lossOf } from '../../model/loss.ts'
import { groupProblem, smallerGroup } from './drawing-group.ts'
import type { FbseChange } from './fbse.ts'
import { findObstacle } from './obstacle.ts'
import { changedDocument, openPresentation, presentationDifference, smallerPictures } from './ppt.ts'
import { Tally } from './tally.ts'
import { openWorkbook, sheetsBegin, withGroup } from './xls.ts'

type Format = typeof DOC | typeof XLS | typeof PPT

export const doc: Codec = office97Codec(DOC)
export const xls: Codec = office97Codec(XLS)
export const ppt: Codec = office97Codec(PPT)

function office97Codec(format: Format): Codec {
  return {
    format,
    compress: (source, sink, options) =>
      isWrapper(options.output) ? compressWrapped(source, sink, options) : compressDocument(format, source, sink, options),
    verify: (original, result, _outcome, options, evidence) =>
      isWrapper(options.output)
        ? verifyWrapped(original, result, options)
        : verifyDocument(format, original, result, options, evidence instanceof VerifiedFiles ? evidence : undefined),
  }
}

interface Job {
  readonly file: CompoundFile
  readonly writer: CompoundRewriter
  readonly tally: Tally
  readonly options: Options
}

async function compressDocument(
  format: Format,
  source: Source,
  sink: Sink,
  options: Options,
): Promise<Outcome & { evidence?: VerifiedFiles }> {
  const file = await openCompoundFile(source)
  const obstacle = await findObstacle(file)
  if (obstacle) return obstacle
  const streams = streamEntries(file, source.size)
  const job: Job = { file, writer: new CompoundRewriter(file, sink), tally: new Tally(), options }
  try {
    await job.writer.begin()
    const written = format.id === 'ppt' ? await writePresentation(job) : format.id === 'xls' ? await writeWorkbook(job) : new Set<number>()
    for (const index of streams) if (!written.has(index)) await job.writer.add(index, streamChunks(file, index))
    await job.writer.finish()
    for await (const piece of tailOf(file, source)) await sink.write(piece.slice())
  } catch (error) {
    if (!isCodecError(error, 'no_gain')) throw error
    return noGain(format, source, options)
  }
  if (sink.written >= source.size) return noGain(format, source, options)
  const { tally } = job
  const steps = [...tally.steps(), message('streams_written_without_free_sectors'), ...(options.inner.time?.steps() ?? [])]
  return { kind: 'compressed', ...lossOf(tally.loss), steps, ...tally.gone.field(), evidence: tally.verified }
}

async function noGain(format: Format, source: Source, options: Options): Promise<Outcome> {
  const suggestion = await suggestedZst(source, options.signal)
  const detail = format.id === 'doc' ? message('doc_pictures_stay') : message('office97_zst_packs_it')
  return { kind: 'unchanged', reason: 'no_gain', detail, ...(suggestion && { suggestion }) }
}

/** Writes the pictures of a presentation and their places. Returns the streams that are written. */
async function writePresentation({ file, writer, tally, options }: Job): Promise<ReadonlySet<number>> {
  const presentation = await openPresentation(file, options)
  if (!presentation) return new Set()
  const changes = new Map<number, FbseChange>()
  const { picturesIndex, documentIndex, pictures } = presentation
  let bytes = 0
  await writer.add(
    picturesIndex,
    counted(smallerPictures(presentation, changes, tally, options), (length) => (bytes += length)),
  )
  await writer.add(documentIndex, once(changedDocument(presentation, changes, pictures.size - bytes)))
  return new Set([picturesIndex, documentIndex])
}

async function writeWorkbook({ file, writer, tally, options }: Job): Promise<ReadonlySet<number>> {
  const workbook = await openWorkbook(file, options)
  if (!workbook || !sheetsBegin(workbook)) return new Set()
  const group = await smallerGroup(workbook.group, tally, options)
  if (!group) return new Set()
  await writer.add(workbook.index, once(withGroup(workbook, group)))
  return new Set([workbook.index])
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

async function verifyDocument(
  format: Format,
  original: Source,
  result: Source,
  options: Options,
  verified: VerifiedFiles | undefined,
): Promise<Verdict> {
  const [before, after] = [await openCompoundFile(original), await openCompoundFile(result)]
  const compared =
    format.id === 'ppt'
      ? await comparePresentations(before, after, verified, options)
      : await compareWorkbooks(format, before, after, verified, options)
  if (typeof compared === 'string') return { equal: false, difference: compared }
  const difference =
    (await compoundDifference([before, original.size], after, compared)) ??
    (await streamDifference(tailOf(before, original), tailOf(after, result)))
  return difference === undefined ? { equal: true } : { equal: false, difference }
}

/** Returns the streams that are compared, or the first difference. */
async function comparePresentations(
  before: CompoundFile,
  after: CompoundFile,
  verified: VerifiedFiles | undefined,
  options: Options,
): Promise<ReadonlySet<number> | string> {
  const [old, fresh] = [await openPresentation(before, options), await openPresentation(after, options)]
  if (!old || !fresh) return new Set()
  return (await presentationDifference(old, fresh, verified, options.signal)) ?? new Set([old.picturesIndex, old.documentIndex])
}

async function compareWorkbooks(
  { id }: Format,
  before: CompoundFile,
  after: CompoundFile,
  verified: VerifiedFiles | undefined,
  options: Options,
): Promise<ReadonlySet<number> | string> {
  const old = id === 'xls' ? await openWorkbook(before, options) : undefined
  if (!old || !sheetsBegin(old)) return new Set()
  const fresh = await openWorkbook(after, options)
  if (!fresh || !sheetsBegin(fresh)) return 'the sheets do not begin where the workbook says'
  const problem = await groupProblem(old.group, fresh.group, verified, options.signal)
  if (problem) return problem
  const isSame = equalBytes(old.bytes, fresh.bytes) || equalBytes(withGroup(old, fresh.group), fresh.bytes)
  return isSame ? new Set([old.index]) : 'records of the workbook changed'
}

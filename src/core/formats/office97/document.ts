/** Writes compound files of Office 97 to 2003 anew, and compares them. Formats with pictures write some streams themselves. */
import type { DOC, PPT, XLS } from '../../catalog/formats/office97.ts'
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
import { findObstacle } from './obstacle.ts'
import { Tally } from './tally.ts'

export interface Job {
  readonly file: CompoundFile
  readonly writer: CompoundRewriter
  readonly tally: Tally
  readonly options: Options
}

export interface Pair {
  readonly before: CompoundFile
  readonly after: CompoundFile
  readonly verified: VerifiedFiles | undefined
  readonly options: Options
}

/** Streams with pictures. */
export interface PictureStreams {
  /** Writes them and returns their directory entries. */
  write(job: Job): Promise<ReadonlySet<number>>
  /** Returns the directory entries of the streams that it has compared, or the first difference. */
  compare(pair: Pair): Promise<ReadonlySet<number> | string>
}

type Format = typeof DOC | typeof XLS | typeof PPT

/** `streams`: `undefined` for a format whose pictures stay. */
export function office97Codec(format: Format, streams?: PictureStreams): Codec {
  return {
    format,
    compress: (source, sink, options) =>
      isWrapper(options.output) ? compressWrapped(source, sink, options) : compressDocument(streams, source, sink, options),
    verify: (original, result, _outcome, options, evidence) =>
      isWrapper(options.output)
        ? verifyWrapped(original, result, options)
        : verifyDocument(streams, [original, result], options, evidence instanceof VerifiedFiles ? evidence : undefined),
  }
}

async function compressDocument(
  pictures: PictureStreams | undefined,
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
    const written = (await pictures?.write(job)) ?? new Set<number>()
    for (const index of streams) if (!written.has(index)) await job.writer.add(index, streamChunks(file, index))
    await job.writer.finish()
    for await (const piece of tailOf(file, source)) await sink.write(piece.slice())
  } catch (error) {
    if (!isCodecError(error, 'no_gain')) throw error
    return noGain(pictures, source, options)
  }
  if (sink.written >= source.size) return noGain(pictures, source, options)
  const { tally } = job
  const steps = [...tally.steps(), message('streams_written_without_free_sectors'), ...(options.inner.time?.steps() ?? [])]
  return { kind: 'compressed', ...lossOf(tally.loss), steps, ...tally.gone.field(), evidence: tally.verified }
}

async function noGain(pictures: PictureStreams | undefined, source: Source, options: Options): Promise<Outcome> {
  const suggestion = await suggestedZst(source, options.signal)
  const detail = pictures ? message('office97_zst_packs_it') : message('doc_pictures_stay')
  return { kind: 'unchanged', reason: 'no_gain', detail, ...(suggestion && { suggestion }) }
}

async function verifyDocument(
  pictures: PictureStreams | undefined,
  [original, result]: readonly [Source, Source],
  options: Options,
  verified: VerifiedFiles | undefined,
): Promise<Verdict> {
  const [before, after] = [await openCompoundFile(original), await openCompoundFile(result)]
  const compared = (await pictures?.compare({ before, after, verified, options })) ?? new Set<number>()
  if (typeof compared === 'string') return { equal: false, difference: compared }
  const difference =
    (await compoundDifference([before, original.size], after, compared)) ??
    (await streamDifference(tailOf(before, original), tailOf(after, result)))
  return difference === undefined ? { equal: true } : { equal: false, difference }
}

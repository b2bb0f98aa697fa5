/** Lossless recompression of any ZIP-based format: every file keeps its bytes, and only its Deflate stream becomes smaller. */
import { type Message, message } from '../../i18n/message.ts'
import type { Codec, Options, Outcome, Sink, Source, Verdict } from '../../model/codec.ts'
import { compareArchives } from './compare.ts'
import { openZip, type ZipArchive } from './read.ts'
import { type ChooseAction, KEEP, type RewriteCounts, rewriteZip } from './rewrite.ts'

/** Inspects an archive before it is repacked. May return it with another order of files. */
export type ReorderEntries = (archive: ZipArchive) => ZipArchive

export interface RepackRules {
  readonly reorder?: ReorderEntries
  readonly chooseAction?: ChooseAction
}

/** Compresses every file of the archive again. `note` is appended to the receipt's steps. */
export async function repack(
  archive: ZipArchive,
  sink: Sink,
  options: Options,
  { reorder: arrange = (same) => same, chooseAction: recipe = () => KEEP }: RepackRules = {},
  note: readonly Message[] = [],
): Promise<Outcome> {
  const counts = await rewriteZip(arrange(archive), sink, options, recipe)
  return { kind: 'compressed', steps: [...repackSteps(counts), ...note] }
}

export function repackSteps(counts: RewriteCounts): Message[] {
  const total = counts.recompressed + counts.kept + counts.replaced
  const between = counts.betweenBytes > 0 ? [message('bytes_between_members_not_kept', { bytes: counts.betweenBytes })] : []
  return [message('files_re_deflated', { recompressed: counts.recompressed, files: total, kept: counts.kept }), ...between]
}

/** Checks that metadata and bytes of every entry are the same. */
export async function verifyRepacked(
  original: ZipArchive,
  result: Source,
  options: Pick<Options, 'signal'>,
  { reorder: arrange = (same) => same }: RepackRules = {},
): Promise<Verdict> {
  return compareArchives(arrange(original), await openZip(result, original.format), options)
}

/** Returns a codec that only repacks archives. */
export function repackCodec(format: Codec['format'], rules: RepackRules = {}): Codec {
  return {
    format,
    compress: async (source, sink, options) => repack(await openZip(source, format.id), sink, options, rules),
    verify: async (original, result, _outcome, options) => verifyRepacked(await openZip(original, format.id), result, options, rules),
  }
}

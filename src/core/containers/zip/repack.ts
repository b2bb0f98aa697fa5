/** The lossless treatment of any ZIP-based format: every file's bytes stay, their streams get smaller. */
import { type Message, message } from '../../i18n/message.ts'
import type { Codec, Options, Outcome, Sink, Source, Verdict } from '../../model/codec.ts'
import { sameArchives } from './compare.ts'
import { openZip, type ZipArchive } from './read.ts'
import { KEEP, type Recipe, type Rewritten, rewriteZip } from './rewrite.ts'

/** Looks at an archive before it is repacked; may put its files into another order. */
export type Arrange = (archive: ZipArchive) => ZipArchive

export interface RepackRules {
  readonly arrange?: Arrange
  readonly recipe?: Recipe
}

/** Re-deflates every file of the archive. `note` joins the receipt's steps. */
export async function repack(
  archive: ZipArchive,
  sink: Sink,
  options: Options,
  { arrange = (same) => same, recipe = () => KEEP }: RepackRules = {},
  note: readonly Message[] = [],
): Promise<Outcome> {
  const counts = await rewriteZip(arrange(archive), sink, options, recipe)
  return { kind: 'compressed', steps: [...repackSteps(counts), ...note] }
}

export function repackSteps(counts: Rewritten): Message[] {
  const total = counts.recompressed + counts.kept + counts.replaced
  const between = counts.betweenBytes > 0 ? [message('bytes_between_members_not_kept', { bytes: counts.betweenBytes })] : []
  return [message('files_re_deflated', { recompressed: counts.recompressed, files: total, kept: counts.kept }), ...between]
}

/** Every entry's facts and bytes are the same. */
export async function verifyRepacked(
  original: ZipArchive,
  result: Source,
  options: Pick<Options, 'signal'>,
  { arrange = (same) => same }: RepackRules = {},
): Promise<Verdict> {
  return sameArchives(arrange(original), await openZip(result, original.format), options)
}

/** A codec that only repacks. */
export function repackCodec(format: Codec['format'], rules: RepackRules = {}): Codec {
  return {
    format,
    compress: async (source, sink, options) => repack(await openZip(source, format.id), sink, options, rules),
    verify: async (original, result, _outcome, options) => verifyRepacked(await openZip(original, format.id), result, options, rules),
  }
}

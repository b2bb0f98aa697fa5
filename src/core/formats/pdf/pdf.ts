import { DEFAULT_EFFORT } from '../../catalog/effort.ts'
import { PDF } from '../../catalog/formats/pdf.ts'
import { type Message, message } from '../../i18n/message.ts'
import {
  fidelityOf,
  type MetadataCodec,
  type Options,
  type Outcome,
  type Removed,
  type Sink,
  type Source,
  type Verdict,
} from '../../model/codec.ts'
import { lossOf, worseLoss } from '../../model/loss.ts'
import { removedField } from '../../model/removed.ts'
import { compressKeepingTrailingData, stripEqualTrailingData } from '../../model/trailing-data.ts'
import { type OpenedDocument, openDocument } from './document.ts'
import { Duplicates, findDuplicates } from './duplicates.ts'
import { findPdfEnd } from './end.ts'
import { FontSubsetter } from './fonts/fonts.ts'
import { fontVerifier, glyphMapVerifier, toUnicodeVerifier } from './fonts/judge.ts'
import type { FontUsage } from './fonts/shown.ts'
import { ImageRecompressor } from './images/images.ts'
import { imageVerifier } from './images/judge.ts'
import { maskNumbers } from './images/mask.ts'
import { PictureMetadata, reducedPictureVerifier } from './images/metadata.ts'
import { imageSteps } from './images/report.ts'
import { computeLayout, type Layout } from './linear/layout.ts'
import { LinearFile } from './linear/linear-file.ts'
import { fitsInFront, isLinearised, isSmallEnough, LinearRewriter, showsOutlines } from './linear/linearise.ts'
import { UserScan } from './linear/users.ts'
import { openForComparison } from './metadata.ts'
import { nameOf, Ref, Stream } from './objects.ts'
import { worstPageLoss } from './page-render-sizes.ts'
import { Reader } from './reader.ts'
import { type RewritePlan, Rewriter } from './rewrite.ts'
import { serialise } from './serialise.ts'
import { asksForSmallerSize, compressToTargetSize } from './target-size.ts'
import { METADATA_SHARE } from './tuning.ts'
import { unusedSteps } from './unused.ts'
import { type DocumentUsage, UsageScan } from './usage.ts'
import { mayDropUsageRights } from './usage-rights.ts'
import { verifyGraphs } from './verify.ts'
import { noReference, Writer } from './writer.ts'

/** Codec for PDF. It rewrites the document object by object, so no object gets lost. See `docs/decisions/pdf.md`. */
export const pdf: MetadataCodec = {
  format: PDF,

  async compress(source, sink, options) {
    const end = await findPdfEnd(source)
    const compressBody: typeof compressPdf = (body, to, requestedOptions) =>
      compressPdf(body, to, requestedOptions, source.size - end > STARTXREF_SEARCH_BYTES)
    return await compressKeepingTrailingData(source, end, sink, options, (body, requestedOptions) =>
      asksForSmallerSize(body, requestedOptions)
        ? compressToTargetSize(compressBody, body, sink, requestedOptions)
        : compressBody(body, sink, requestedOptions),
    )
  },

  async verify(upload: Source, compressed: Source, outcome: Outcome, options: Options): Promise<Verdict> {
    const withoutTails = await stripEqualTrailingData(upload, await findPdfEnd(upload), compressed)
    if ('difference' in withoutTails) return { equal: false, difference: withoutTails.difference }
    const { original, result } = withoutTails
    const [a, b] = [await openForComparison(original, options), await Reader.open(result, '')]
    if (b.repaired) return { equal: false, difference: 'the cross-reference table of the result is not readable' }
    if (protection(a) !== protection(b)) return { equal: false, difference: 'the encryption changed' }
    await a.indexObjectHeads(options.signal)
    await b.indexObjectHeads(options.signal)
    let originalFonts: Promise<FontUsage | undefined> | undefined
    const verifiers = {
      image: reducedPictureVerifier(a, b, options.inner, imageVerifier(a, b, fidelityOf(outcome) === 'lossless')),
      font: fontVerifier(a, b, () => {
        originalFonts ??= shownFonts(original, options)
        return originalFonts
      }),
      toUnicode: toUnicodeVerifier(a, b),
      glyphMap: glyphMapVerifier(a, b),
      rightsDropped: await mayDropUsageRights(a, options),
      metadataRemoved: options.metadata !== undefined,
    }
    return verifyGraphs(a, b, verifiers, options.signal)
  },

  withoutMetadata: async (source) => source,
}

/**
 * Number of bytes at the end of a file in which PDF readers search for `startxref`: 1024 (PDF Reference 1.7, appendix H, note 18), less 40
 * for `startxref` and `%%EOF`.
 */
const STARTXREF_SEARCH_BYTES = 980

/** Encryption dictionary as text, with keys and permissions. `undefined`: the file is not encrypted. */
const protection = ({ encryption: lock }: Reader) => lock && serialise(lock.dictionary, noReference)

/** Scans which text the document shows with each font. `undefined`: the document cannot be rewritten. */
async function shownFonts(source: Source, options: Options): Promise<FontUsage | undefined> {
  const document = await openDocument(source, options)
  if ('kind' in document) return undefined
  const { reader, root, pages, reachable: reach } = document
  return (await new UsageScan(reader, new Duplicates(), options.signal).run(root, pages, reach.objects)).fonts
}

/** Compresses one PDF. `startxrefIsHidden`: trailing data puts `startxref` outside the range in which PDF readers search for it. */
async function compressPdf(source: Source, sink: Sink, options: Options, startxrefIsHidden = false): Promise<Outcome> {
  const opened = await openDocument(source, options)
  if ('kind' in opened) return opened
  // With far trailing data, PDF readers search the file for objects and the word "trailer". They do not find objects in object streams, so
  // the result uses none.
  const document = { ...opened, classic: opened.classic || startxrefIsHidden }
  const { reader, reachable } = document
  const duplicates = await findDuplicates(reader, reachable.streams, options.signal)
  const usage = await new UsageScan(reader, duplicates, options.signal).run(document.root, document.pages, reachable.objects)
  const images = await imageRecompressor(document, duplicates, usage, options)
  const merged = duplicates.count
  const fonts = new FontSubsetter(reader, usage.fonts, duplicates)
  const metadata = new PictureMetadata(reader, options.inner)
  await fonts.prepare(opened, options.signal)
  const plan: RewritePlan = {
    reachable,
    duplicates,
    keepEntry: document.keepEntry,
    adapt: fonts.adapt,
    transforms: [fonts.transform, metadata.counting(images.transform), metadata.transform],
    verbatim: await metadataNumbers(document),
    effort: options.effort ?? DEFAULT_EFFORT,
    signal: options.signal,
    progress: options.progress,
  }
  const layout = await linearLayout(document, duplicates, plan)
  const writer = layout ? new LinearFile(sink, !document.classic) : new Writer(sink, !document.classic, reader.encryption)
  const rewriter =
    layout && writer instanceof LinearFile ? new LinearRewriter(reader, writer, plan, layout) : new Rewriter(reader, writer, plan)
  await rewriter.run()
  const pages = worstPageLoss(usage.pages)
  const loss = pages ? worseLoss(images.report.worst, pages) : images.report.worst
  const unused = await unusedSteps(reader, reachable, options.signal)
  const dropped = document.dropsUsageRights ? [message('usage_rights_left_out')] : []
  const steps = [...stepsOf(writer, rewriter, merged, fonts, images), ...metadata.steps(), ...unused]
  return {
    kind: 'compressed',
    ...lossOf(loss),
    steps: [...steps, ...(options.inner.time?.steps() ?? []), ...dropped],
    ...removedField([...packetsRemoved(document), ...metadata.removed]),
  }
}

const packetsRemoved = ({ reducedPackets: count }: OpenedDocument): Removed[] =>
  count > 0 ? [{ kind: 'xmp_properties', count, why: 'as_requested' }] : []

/**
 * Layout of a linearised result. `undefined`: the source is not linearised, or its linearisation cannot be kept. Encrypted files are
 * excluded because their object lengths are unknown in advance.
 */
async function linearLayout(
  { reader, root, pages, reachable: reach, classic }: OpenedDocument,
  duplicates: Duplicates,
  plan: RewritePlan,
): Promise<Layout | undefined> {
  const top = reader.trailer.get('Root')
  if (!(top instanceof Ref) || reader.repaired || reader.encryption || !isSmallEnough(reader) || !(await isLinearised(reader)))
    return undefined
  const users = await new UserScan(reader, duplicates, reach, plan.keepEntry).run(root, top.number, pages, plan.signal)
  const objects = [...reach.objects].filter((number) => !duplicates.has(number))
  const layout = users && (await computeLayout(reader, { users, pages, objects, compact: !classic, outlinesFirst: showsOutlines(root) }))
  return layout && (await fitsInFront(reader, layout)) ? layout : undefined
}

async function imageRecompressor(
  { reader, reachable }: OpenedDocument,
  duplicates: Duplicates,
  usage: DocumentUsage,
  options: Options,
): Promise<ImageRecompressor> {
  const masks = await maskNumbers(reader, reachable.streams, (number) => duplicates.originalOf(number))
  const { quality, targetScore, extraPoints, effort = DEFAULT_EFFORT, inner, signal } = options
  return new ImageRecompressor(reader, usage.images, masks, {
    goal: { quality, effort, ...(targetScore !== undefined && { targetScore, extraPoints: extraPoints ?? 0 }) },
    lossless: options.lossless || usage.hasTransferFunction,
    dotsPerInch: options.dotsPerInch,
    time: inner.time,
    signal,
  })
}

/**
 * Object numbers of XMP metadata streams that stay uncompressed, so that tools can search files for XMP (ISO 32000-2, 14.3.2). In small
 * files large XMP is compressed, but never in archive files; PDF/A-1 requires this (ISO 19005-1, 6.7.2).
 */
async function metadataNumbers({ reader, archive, reachable: reach }: OpenedDocument): Promise<Set<number>> {
  const numbers = new Set<number>()
  for (const number of reach.streams) {
    const stream = await reader.get(number)
    if (!(stream instanceof Stream) || nameOf(stream.dict.get('Type')) !== 'Metadata') continue
    if (archive || (await reader.length(stream)) < reader.ranges.size * METADATA_SHARE) numbers.add(number)
  }
  return numbers
}

function stepsOf(writer: Writer, rewriter: Rewriter, merged: number, fonts: FontSubsetter, { report }: ImageRecompressor): Message[] {
  const steps = [message('streams_deflated_again')]
  if (writer.compact) steps.push(message('objects_packed'))
  if (writer.encryption) steps.push(message('encrypted_again'))
  if (rewriter instanceof LinearRewriter) steps.push(message('linearised_again'))
  if (rewriter.removedPrivateEntries > 0) steps.push(message('private_entries_removed', { entries: rewriter.removedPrivateEntries }))
  if (merged > 0) steps.push(message('duplicates_merged', { duplicates: merged }))
  if (fonts.subset > 0) steps.push(message('fonts_without_unused_glyphs', { fonts: fonts.subset }))
  if (fonts.merged > 0) steps.push(message('font_subsets_merged', { fonts: fonts.merged }))
  if (fonts.converted > 0) steps.push(message('type_1_fonts_as_cff', { fonts: fonts.converted }))
  return [...steps, ...imageSteps(report)]
}

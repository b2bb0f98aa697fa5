/** Codecs of DOCX, XLSX and PPTX (ECMA-376, transitional and strict), with or without macros, and of their templates. */

import { DOCX, PPTX, XLSX } from '../../catalog/formats/office.ts'
import { isCompoundFile, openCompoundFile } from '../../containers/cfb/read.ts'
import { encodeXml } from '../../containers/xml/scan.ts'
import type { ZipEntry } from '../../containers/zip/entry.ts'
import { openZip } from '../../containers/zip/read.ts'
import { repack, repackSteps, verifyRepacked } from '../../containers/zip/repack.ts'
import { type EntryAction, KEEP, rewriteZip } from '../../containers/zip/rewrite.ts'
import { RemovedData, recompressedStep, removedFrom } from '../../embedded/gone.ts'
import { KeptMetadata, keptMetadataSteps, mayHaveMetadata } from '../../embedded/kept-metadata.ts'
import { type RecompressedPicture, recompressPicture } from '../../embedded/recompress.ts'
import { VerifiedFiles } from '../../embedded/verification-cache.ts'
import { type Message, message } from '../../i18n/message.ts'
import type { MetadataCodec, Options, Outcome, Sink, Source, Verdict } from '../../model/codec.ts'
import { lossOf, type PictureLoss, worseLoss } from '../../model/loss.ts'
import { CONTENT_TYPES, hasAmbiguousNames, isSigned, type OoxmlDocument, openDocument } from './document.ts'
import { subsetFontPart } from './fonts.ts'
import { editContentTypes, editRelationships, ownerOf, partKey } from './parts.ts'
import { type DocumentPlan, planDocument } from './plan.ts'
import { MAX_PICTURE_BYTES } from './tuning.ts'
import { verifyDocument } from './verify.ts'
import { withoutOfficeMetadata } from './without-metadata.ts'

export const docx: MetadataCodec = officeCodec(DOCX)
export const xlsx: MetadataCodec = officeCodec(XLSX)
export const pptx: MetadataCodec = officeCodec(PPTX)

const SIGNED = message('signed_parts_kept')
const TWINS = message('two_parts_of_one_name_kept')

function officeCodec(format: MetadataCodec['format']): MetadataCodec {
  return {
    format,
    async compress(source, sink, options) {
      const locked = await compoundFileOutcome(source)
      if (locked) return locked
      const archive = await openZip(source, format.id)
      const obstacle = isSigned(archive) ? SIGNED : hasAmbiguousNames(archive) ? TWINS : undefined
      if (obstacle && options.metadata)
        return { kind: 'unchanged', reason: obstacle === SIGNED ? 'signed' : 'unsupported_feature', detail: obstacle }
      if (obstacle) return repack(archive, sink, options, {}, [obstacle])
      if (options.lossless) return repack(archive, sink, options, {}, keptMetadataSteps(archive.entries, options))
      return compressDocument(await openDocument(archive), sink, options)
    },
    async verify(original, result, _outcome, options, evidence): Promise<Verdict> {
      const archive = await openZip(original, format.id)
      if (isSigned(archive) || options.lossless || hasAmbiguousNames(archive)) return verifyRepacked(archive, result, options)
      const verified = evidence instanceof VerifiedFiles ? evidence : undefined
      return verifyDocument(await openDocument(archive), await openDocument(await openZip(result, format.id)), options, verified)
    },
    withoutMetadata: (source, mode) => withoutOfficeMetadata(source, format.id, mode),
  }
}

/**
 * Outcome for a compound file instead of a ZIP package: an encrypted document ([MS-OFFCRYPTO] 2.3) or another kind.
 * `undefined`: another file.
 */
async function compoundFileOutcome(source: Source): Promise<Outcome | undefined> {
  if (!isCompoundFile(await source.read(0, 8))) return undefined
  const file = await openCompoundFile(source)
  if (file.paths.includes('EncryptedPackage')) return { kind: 'unchanged', reason: 'encrypted', detail: message('document_under_password') }
  return { kind: 'unchanged', reason: 'unsupported_feature', detail: message('binary_office_document') }
}

/** Counts what was done to pictures, documents and fonts, for the receipt. */
class Tally {
  pictures = 0
  downsampled = 0
  jpegs = 0
  bmps = 0
  tiffs = 0
  packages = 0
  fonts = 0
  loss: PictureLoss | undefined
  readonly gone = new RemovedData()

  /** `extension`: file name extension of the old part. */
  add({ output, downsampled, loss, removed }: RecompressedPicture, extension: string): void {
    this.pictures++
    this.gone.add(removed)
    if (downsampled) this.downsampled++
    if (extension === 'png' && output === 'jpg') this.jpegs++
    if (output !== 'bmp' && /^(bmp|dib)$/.test(extension)) this.bmps++
    if (/^tiff?$/.test(extension)) this.tiffs++
    if (loss) this.addLoss(loss)
  }

  addLoss(loss: PictureLoss): void {
    this.loss = worseLoss(this.loss, loss)
  }

  steps(pictures: number): Message[] {
    const details = [
      ...(this.downsampled > 0 ? [message('pictures_downsampled_to_shown', { pictures: this.downsampled })] : []),
      ...(this.jpegs > 0 ? [message('pngs_to_jpeg', { pictures: this.jpegs })] : []),
      ...(this.bmps > 0 ? [message('bmps_to_png_or_jpeg', { pictures: this.bmps })] : []),
      ...(this.tiffs > 0 ? [message('tiffs_to_png_or_jpeg', { pictures: this.tiffs })] : []),
    ]
    return [
      ...(this.pictures > 0 ? [recompressedStep(this.pictures, pictures, details)] : []),
      ...(this.packages > 0 ? [message('embedded_documents_recompressed', { documents: this.packages })] : []),
      ...(this.fonts > 0 ? [message('embedded_fonts_without_unused_glyphs', { fonts: this.fonts })] : []),
      ...this.gone.steps(),
    ]
  }
}

async function compressDocument(
  document: OoxmlDocument,
  sink: Sink,
  options: Options,
): Promise<Outcome & { readonly evidence: VerifiedFiles }> {
  const plan = await planDocument(document, options)
  const tally = new Tally()
  const verified = new VerifiedFiles()
  const kept = new KeptMetadata(options.inner)
  const job: Job = { document, plan, tally, verified, kept, options }
  const counts = await rewriteZip(document.archive, sink, options, (entry, load) => actionFor(job, entry, load))
  const steps = [...tally.steps(plan.pictures.size), ...kept.steps(), ...repackSteps(counts), ...(options.inner.time?.steps() ?? [])]
  if (plan.merged.size > 0) steps.push(message('duplicate_pictures_merged', { pictures: plan.merged.size }))
  const others = plan.dropped.size - plan.merged.size - plan.layouts.parts.size
  if (others > 0) steps.push(message('unused_media_or_thumbnails_dropped', { files: others }))
  if (plan.cropped.size > 0) steps.push(message('pictures_cropped_to_shown', { pictures: plan.cropped.size }))
  if (plan.layouts.parts.size > 0) steps.push(message('slide_layouts_dropped', { parts: plan.layouts.parts.size }))
  return { kind: 'compressed', ...lossOf(tally.loss), steps, ...tally.gone.field(), evidence: verified }
}

interface Job {
  readonly document: OoxmlDocument
  readonly plan: DocumentPlan
  readonly tally: Tally
  readonly verified: VerifiedFiles
  readonly kept: KeptMetadata
  readonly options: Options
}

async function actionFor(job: Job, entry: ZipEntry, load: () => Promise<Uint8Array>): Promise<EntryAction> {
  const { document, plan, tally, kept } = job
  const part = partKey(entry.name)
  if (plan.dropped.has(part)) return { kind: 'drop' }
  if (part === CONTENT_TYPES) {
    if (plan.renamed.size === 0 && plan.dropped.size === 0) return KEEP
    return { kind: 'replace', bytes: encodeXml(editContentTypes(document.contentTypesXml, plan.renamed, plan.dropped)) }
  }
  const owner = ownerOf(entry.name)
  if (owner !== undefined)
    return plan.dropped.has(owner) && plan.layouts.parts.has(owner) ? { kind: 'drop' } : relsAction(document, plan, entry)
  const text = plan.layouts.masters.get(part) ?? plan.texts.get(part)
  if (text !== undefined) return { kind: 'replace', bytes: encodeXml(text) }
  if (plan.pictures.has(part)) return pictureAction(job, part, entry, load)
  if (plan.fonts?.keys.has(part)) {
    const font = subsetFontPart(await load(), part, plan.fonts)
    if (!font) return KEEP
    tally.fonts++
    return { kind: 'replace', bytes: font }
  }
  const isSmall = entry.size <= MAX_PICTURE_BYTES
  if (EMBEDDED.test(part) && isSmall) return embeddedAction(job, entry, await load())
  if (mayHaveMetadata(part)) await kept.addUnchanged(entry.name, isSmall ? load : undefined)
  return KEEP
}

async function pictureAction(job: Job, part: string, entry: ZipEntry, load: () => Promise<Uint8Array>): Promise<EntryAction> {
  const { document, plan, tally, verified, options, kept } = job
  const isReadable = document.parts.has(part) && entry.size <= MAX_PICTURE_BYTES
  const shape = { shown: plan.shown.get(part), lossless: plan.exact.has(part) }
  const made = plan.ready.has(part)
    ? plan.ready.get(part)
    : isReadable && (await recompressPicture(await load(), entry.name, options, shape))
  if (!isReadable || !made) {
    await kept.addUnchanged(entry.name, isReadable ? load : undefined)
    return KEEP
  }
  // Results in `ready` may be composed from several pictures, so verification decodes them again.
  if (!plan.ready.has(part)) verified.add(made.bytes)
  tally.add(made, part.slice(part.lastIndexOf('.') + 1))
  const name = plan.renamed.get(part)?.name
  return { kind: 'replace', bytes: made.bytes, ...(name === undefined ? {} : { name }) }
}

const EMBEDDED = /(^|\/)embeddings\/[^/]+\.(docx|docm|xlsx|xlsm|pptx|pptm)$/

async function embeddedAction({ tally, kept, options }: Job, entry: ZipEntry, bytes: Uint8Array): Promise<EntryAction> {
  const result = await options.inner.compress(bytes, entry.name.split('/').at(-1)!)
  if (result.kind === 'unchanged') {
    await kept.addUnchanged(entry.name, async () => bytes)
    return KEEP
  }
  tally.packages++
  tally.gone.add(removedFrom(result.outcome))
  const { pictures } = result.outcome.loss ?? {}
  if (pictures) tally.addLoss(pictures)
  return { kind: 'replace', bytes: result.bytes }
}

function relsAction(document: OoxmlDocument, plan: DocumentPlan, entry: ZipEntry): EntryAction {
  const rels = document.rels.find((each) => each.entry === entry)
  if (!rels) return KEEP
  const xml = editRelationships(rels.xml, rels.owner, ({ part, target }) => {
    if (part === undefined) return undefined
    const place = plan.merged.get(part) ?? part
    const fresh = plan.renamed.get(place)
    if (place !== part) return `/${fresh?.name ?? document.parts.get(place)!.name}`
    if (fresh) return target.replace(/[^/]+$/, encodeURI(fresh.name.split('/').at(-1)!))
    return plan.dropped.has(part) ? 'drop' : undefined
  })
  return xml === rels.xml ? KEEP : { kind: 'replace', bytes: encodeXml(xml) }
}

/** Opens a PDF, finds its reachable objects and pages, and decides whether Whittle may rewrite it. */
import { latin1Of } from '../../bytes/latin1.ts'
import { message } from '../../i18n/message.ts'
import { fitsMemoryBudget } from '../../model/budget.ts'
import type { Options, Outcome, Source } from '../../model/codec.ts'
import { type EntryFilter, entryFilterFor } from './droppable-entries.ts'
import { removeMetadata } from './metadata.ts'
import { Dict, latin1, PdfSyntax, Stream } from './objects.ts'
import { countPageObjects, findReachableObjects, type ReachableObjects, walkPages } from './reachable-objects.ts'
import { Reader } from './reader.ts'
import { BYTES_PER_OBJECT, OBJECTS_SHARE } from './tuning.ts'
import { findSignatureKind } from './usage-rights.ts'
import type { Encryption } from './writer.ts'

export interface OpenedDocument {
  reader: Reader
  root: Dict
  reachable: ReachableObjects
  /** Object numbers of the pages in page order. */
  pages: number[]
  /** Decides which dictionary entries are written to the result. */
  keepEntry: EntryFilter
  /** True if the XMP metadata declares PDF/A, PDF/UA or PDF/X. */
  archive: boolean
  /** True for PDF/A-1, which forbids object streams and cross-reference streams (ISO 19005-1, 6.1.4). */
  classic: boolean
  /** Number of XMP packets of pictures and other parts that lost properties. */
  reducedPackets: number
  /** True if the result drops the usage rights signature, as the option `usageRights: 'drop'` asks. */
  dropsUsageRights: boolean
}

export type UnchangedOutcome = Extract<Outcome, { kind: 'unchanged' }>

const ENCRYPTED: UnchangedOutcome = { kind: 'unchanged', reason: 'encrypted' }
const SIGNED: UnchangedOutcome = { kind: 'unchanged', reason: 'signed' }
const USAGE_RIGHTS_SIGNED: UnchangedOutcome = {
  ...SIGNED,
  detail: message('only_usage_rights_signed'),
}
const MAX_METADATA_BYTES = 4 * 1024 * 1024
/** Maximum length of a ZIP end-of-central-directory record in bytes: 22 bytes and the longest comment. */
const MAX_ZIP_END_RECORD_BYTES = 22 + 65_535
const BASE_BYTES = 2 * 1024 * 1024

export async function openDocument(source: Source, options: Options): Promise<OpenedDocument | UnchangedOutcome> {
  // An encrypted file that opens with the empty password is decrypted. Its result is encrypted with the same key.
  const reader = await Reader.open(source, '')
  if (reader.trailer.has('Encrypt') || (reader.encryption && reader.repaired)) return ENCRYPTED
  if (!fitsMemoryBudget(options, BASE_BYTES + reader.xref.size * BYTES_PER_OBJECT, options.memoryBudget * OBJECTS_SHARE)) {
    return { kind: 'unchanged', reason: 'over_budget', detail: message('objects_found', { objects: reader.xref.size }) }
  }
  const root = await reader.resolve(reader.trailer.get('Root'))
  if (!(root instanceof Dict)) throw new PdfSyntax('no_document_catalog')
  const signed = await findSignatureKind(reader, root, options.signal)
  if (signed === 'signature') return SIGNED
  if (signed === 'usage rights' && options.usageRights !== 'drop') return USAGE_RIGHTS_SIGNED
  if (await hasAppendedArchive(reader)) {
    return { kind: 'unchanged', reason: 'unsupported_feature', detail: message('file_appended') }
  }
  await reader.indexObjectHeads(options.signal)
  const archive = await isArchiveFile(reader, root)
  const keep = entryFilterFor(options, archive)
  const reachableObjects = await findReachableObjects(reader, keep, options.signal)
  if (reachableObjects.signed) return SIGNED
  if (reader.encryption && (reader.repaired || (await usesOtherCryptFilters(reader, reader.encryption, reachableObjects)))) return ENCRYPTED
  const pages = await walkPages(reader, root)
  if (pages.leaves.length === 0) throw new PdfSyntax('document_without_pages')
  if (reader.repaired) await assertNothingLost(reader, reachableObjects, pages)
  const { metadata: mode, signal } = options
  const reducedPackets =
    mode === undefined ? 0 : await removeMetadata({ reader, root, reachable: reachableObjects, keepEntry: keep, mode, signal })
  const classic = archive && (await isPdfA1(reader, root))
  return {
    reader,
    root,
    reachable: mode === undefined ? reachableObjects : await findReachableObjects(reader, keep, signal),
    pages: [...pages.leaves],
    keepEntry: keep,
    archive,
    classic,
    reducedPackets,
    dropsUsageRights: signed === 'usage rights',
  }
}

/** True if a stream uses its own crypt filter, or one that only a reference names. Whittle does not know the key of such a stream. */
async function usesOtherCryptFilters(reader: Reader, lock: Encryption, { streams }: ReachableObjects): Promise<boolean> {
  for (const number of streams) {
    const stream = await reader.get(number)
    if (!(stream instanceof Stream) || lock.isUnencrypted(stream.dict)) continue
    if ((await reader.filters(stream)).some((filter) => filter.name === 'Crypt')) return true
  }
  return false
}

/**
 * Checks that a rebuilt cross-reference table contains every page, object and stream. Without this check a repair may lose most of a file.
 * @throws PdfSyntax if something is missing.
 */
async function assertNothingLost(
  reader: Reader,
  found: ReachableObjects,
  pages: { leaves: { length: number }; stated: number },
): Promise<void> {
  if (pages.stated !== pages.leaves.length)
    throw new PdfSyntax(message('pages_missing', { found: pages.leaves.length, stated: pages.stated }))
  if ((await countPageObjects(reader)) !== pages.leaves.length) throw new PdfSyntax('pages_outside_page_tree')
  if (found.dangling > 0) throw new PdfSyntax(message('references_to_missing_objects', { count: found.dangling }))
  for (const number of found.streams) {
    const stream = await reader.get(number)
    if (stream instanceof Stream && stream.offset + (await reader.length(stream)) >= reader.ranges.size)
      throw new PdfSyntax('stream_without_end')
  }
}

/** True if a ZIP archive follows the last `%%EOF`. Rewriting the PDF would lose that archive. */
async function hasAppendedArchive(reader: Reader): Promise<boolean> {
  const length = Math.min(reader.ranges.size, MAX_ZIP_END_RECORD_BYTES)
  const tail = latin1Of(await reader.ranges.read(reader.ranges.size - length, length))
  return tail.lastIndexOf('PK\x05\x06') > tail.lastIndexOf('%%EOF')
}

/** True if the XMP metadata declares part 1 of PDF/A. */
export const isPdfA1 = (reader: Reader, root: Dict) => xmpMatches(reader, root, /pdfaid:part\s*(>|=\s*["'])\s*1\b/)

/** True if the XMP metadata declares any part of PDF/A, PDF/UA or PDF/X. */
const isArchiveFile = (reader: Reader, root: Dict) => xmpMatches(reader, root, /pdf(aid|uaid|xid|x):(part|GTS_PDFX)/)

async function xmpMatches(reader: Reader, root: Dict, claim: RegExp): Promise<boolean> {
  const metadata = await reader.resolve(root.get('Metadata'))
  if (!(metadata instanceof Stream)) return false
  try {
    // XMP may be encoded as UTF-16 or UTF-32 (ISO 16684-1, 7.1). Removing zero bytes leaves the ASCII characters to search.
    return claim.test(latin1(await reader.decoded(metadata, MAX_METADATA_BYTES)).replaceAll('\0', ''))
  } catch (error) {
    if (error instanceof PdfSyntax) return false
    throw error
  }
}

/**
 * Removes metadata from an opened PDF: the information dictionary and XMP packets (ISO 32000-2, 14.3). The reader then returns the document
 * without them, so all later steps and the verification work on that form.
 */
import { keepsXmpProperty, type RemovingMode } from '../../catalog/metadata.ts'
import { isPdfXClaim, keepsPdfInformation, keepsPdfXmp } from '../../catalog/metadata-of-documents.ts'
import { xmpWith } from '../../containers/metadata/xmp.ts'
import { message } from '../../i18n/message.ts'
import type { Options, Source } from '../../model/codec.ts'
import { isCodecError, overBudget, unsupported } from '../../model/error.ts'
import { type EntryFilter, entryFilterFor } from './droppable-entries.ts'
import { Dict, HeldStream, nameOf, type PdfObject, PdfSyntax, Ref, Str, Stream } from './objects.ts'
import { findReachableObjects, type ReachableObjects } from './reachable-objects.ts'
import { Reader } from './reader.ts'

const MAX_PACKET_BYTES = 4 * 1024 * 1024
/** Most bytes of all packets that stay. */
const MAX_HELD_BYTES = 8 * 1024 * 1024

/** Uses of an object, one bit each. */
const USE = { metadata: 1, metadataOfPage: 2, content: 4 } as const

export interface MetadataJob {
  readonly reader: Reader
  readonly root: Dict
  readonly reachable: ReachableObjects
  readonly keepEntry: EntryFilter
  readonly mode: RemovingMode
  readonly signal: AbortSignal
}

/**
 * Replaces the information dictionary and all XMP packets by their reduced forms. Returns the number of packets of pictures and other parts
 * that lost properties. The packets of the document and its pages do not count, because the inventory counts them.
 * @throws CodecError (unsupported_feature) if an object is also content
 */
export async function removeMetadata(job: MetadataJob): Promise<number> {
  const { reader, root, reachable, signal } = job
  const uses = await usesOf(job)
  const own = root.get('Metadata')
  const main = own instanceof Ref ? own.number : -1
  const packet = await packetOf(reader, await reader.resolve(own))
  const information = await reader.dict(reader.trailer.get('Info'))
  const claimsPdfX =
    [...(information?.keys() ?? [])].some(isPdfXClaim) || (packet !== undefined && xmpWith(packet, isPdfXClaim) !== undefined)
  await reduceInformation(job, information, uses, claimsPdfX)
  let [changed, held] = [0, 0]
  for (const number of reachable.streams) {
    const use = uses[number]!
    if ((use & USE.metadata) === 0) continue
    signal.throwIfAborted()
    const stream = await reader.get(number)
    if (!(stream instanceof Stream) || (number !== main && nameOf(await reader.entry(stream.dict, 'Type')) !== 'Metadata')) continue
    assertNoContent(use)
    const keeps = (name: string) => (number === main ? keepsPdfXmp(job.mode, name, claimsPdfX) : keepsXmpProperty(job.mode, name))
    const { reduced, isChanged } = reducedPacket(await packetOf(reader, stream), keeps)
    reader.replaced.set(number, reduced ? new HeldStream(plainDictionary(stream.dict), reduced) : null)
    held += reduced?.length ?? 0
    if (held > MAX_HELD_BYTES) throw overBudget(message('stream_of_bytes', { length: held }))
    if (isChanged && number !== main && (use & USE.metadataOfPage) === 0) changed++
  }
  return changed
}

function assertNoContent(use: number): void {
  if ((use & USE.content) !== 0) throw unsupported(message('metadata_shared_with_content'))
}

/** Opens a PDF for a comparison: without the metadata that the options remove. */
export async function openForComparison(source: Source, options: Options): Promise<Reader> {
  const reader = await Reader.open(source, '')
  const { metadata: mode, signal } = options
  const root = await reader.resolve(reader.trailer.get('Root'))
  if (mode === undefined || !(root instanceof Dict)) return reader
  const keepEntry = entryFilterFor(options, false)
  const reachable = await findReachableObjects(reader, keepEntry, signal)
  await removeMetadata({ reader, root, reachable, keepEntry, mode, signal })
  return reader
}

/** Finds out how objects refer to each other: as metadata, or otherwise. The trailer entry /Info does not count. */
async function usesOf({ reader, reachable, keepEntry, signal }: MetadataJob): Promise<Uint8Array> {
  const uses = new Uint8Array(reachable.used.length)
  const visit = (value: PdfObject | undefined, use: number): void => {
    if (value instanceof Ref) uses[value.number] = (uses[value.number] ?? 0) | use
    else if (Array.isArray(value)) for (const item of value) visit(item, USE.content)
    else if (value instanceof Dict) {
      const isPage = nameOf(value.get('Type')) === 'Page'
      const own = isPage ? USE.metadata | USE.metadataOfPage : USE.metadata
      for (const [key, item] of value)
        if (typeof item === 'object' && keepEntry(value, key)) visit(item, key === 'Metadata' ? own : USE.content)
    }
  }
  for (const key of ['Root', 'ID']) visit(reader.trailer.get(key), USE.content)
  let count = 0
  for (const number of reachable.objects) {
    if (count++ % 4096 === 0) signal.throwIfAborted()
    const object = await reader.get(number)
    visit(object instanceof Stream ? object.dict : object, USE.content)
  }
  return uses
}

/**
 * Replaces the information dictionary by its reduced form.
 * @throws CodecError (unsupported_feature) if it has metadata and is also content
 */
async function reduceInformation(
  { reader, mode }: MetadataJob,
  before: Dict | undefined,
  uses: Uint8Array,
  claimsPdfX: boolean,
): Promise<void> {
  const place = reader.trailer.get('Info')
  if (!before || place === undefined) return
  const gone = [...before].filter(([key]) => !keepsPdfInformation(mode, key, claimsPdfX))
  if (gone.length === 0) return
  const isContent = place instanceof Ref && ((uses[place.number] ?? 0) & USE.content) !== 0
  if (isContent) {
    // Some files name another dictionary, such as the page tree, as their information dictionary. It has no texts.
    for (const [key, value] of gone) if (key !== 'Type' && (await reader.resolve(value)) instanceof Str) assertNoContent(USE.content)
    return
  }
  const kept = new Dict([...before].filter(([key]) => keepsPdfInformation(mode, key, claimsPdfX)))
  if (kept.size === 0) reader.trailer.delete('Info')
  else if (place instanceof Ref) reader.replaced.set(place.number, kept)
  else reader.trailer.set('Info', kept)
}

/** Returns an XMP packet as text. `undefined`: there is none, or it cannot be read. */
async function packetOf(reader: Reader, stream: PdfObject): Promise<string | undefined> {
  if (!(stream instanceof Stream)) return undefined
  try {
    return textOfPacket(await reader.decoded(stream, MAX_PACKET_BYTES))
  } catch (error) {
    if (error instanceof PdfSyntax || isCodecError(error, 'over_budget')) return undefined
    throw error
  }
}

/** Decodes a packet in UTF-8, UTF-16 or UTF-32 (ISO 16684-1, 7.1). The zero bytes around the first `<` show the encoding. */
function textOfPacket(bytes: Uint8Array): string {
  const start = Array.from(bytes.subarray(0, 4), (byte) => (byte === 0 ? '0' : 'x')).join('')
  if (start === 'x000' || start === 'xx00') return textOfUtf32(bytes, true)
  if (start === '000x' || start === '00xx') return textOfUtf32(bytes, false)
  const hasMark = (first: number, second: number) => bytes[0] === first && bytes[1] === second
  if (start === 'x0x0' || hasMark(0xff, 0xfe)) return new TextDecoder('utf-16le').decode(bytes)
  if (start === '0x0x' || hasMark(0xfe, 0xff)) return new TextDecoder('utf-16be').decode(bytes)
  return new TextDecoder().decode(bytes)
}

const LAST_CODE_POINT = 0x10ffff

function textOfUtf32(bytes: Uint8Array, littleEndian: boolean): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let text = ''
  for (let at = 0; at + 4 <= bytes.length; at += 4) {
    const code = view.getUint32(at, littleEndian)
    text += String.fromCodePoint(code <= LAST_CODE_POINT ? code : 0xfffd)
  }
  return text
}

/** `reduced`: the packet with the properties that stay; `undefined`: none. `isChanged`: true if the packet lost something. */
function reducedPacket(
  packet: string | undefined,
  keeps: (name: string) => boolean,
): { reduced: Uint8Array | undefined; isChanged: boolean } {
  const reduced = packet === undefined ? undefined : xmpWith(packet, keeps)
  const isChanged = packet === undefined || reduced === undefined || xmpWith(packet, (name) => !keeps(name)) !== undefined
  return { reduced: reduced === undefined ? undefined : new TextEncoder().encode(reduced), isChanged }
}

/** Dictionary of a packet that is stored without filters, so that tools can search files for XMP (ISO 32000-2, 14.3.2). */
const plainDictionary = (dict: Dict): Dict => new Dict([...dict].filter(([key]) => key === 'Type' || key === 'Subtype'))

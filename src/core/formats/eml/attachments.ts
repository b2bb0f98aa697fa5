/** Recompresses the attachments of a mail with their own codecs. They keep their transfer encoding and line length. */

import { concat } from '../../bytes/concat.ts'
import { equalBytes } from '../../bytes/equal.ts'
import { latin1Bytes } from '../../bytes/latin1.ts'
import { indexOfBytes } from '../../bytes/search.ts'
import { streamDifference } from '../../containers/zip/compare.ts'
import { estimateFileSeconds } from '../../embedded/cpu-estimate.ts'
import { RemovedData, removedFrom } from '../../embedded/gone.ts'
import { readPictureHeader } from '../../embedded/image-header.ts'
import { pictureProblem } from '../../embedded/package-codec.ts'
import { type RecompressedPicture, recompressPicture } from '../../embedded/recompress.ts'
import { type Message, message } from '../../i18n/message.ts'
import type { Options, Outcome, Sink, Source, Verdict } from '../../model/codec.ts'
import { lossOf, type PictureLoss, worseLoss } from '../../model/loss.ts'
import { readBase64, writeBase64 } from './base64.ts'
import { allParts, type MimePart, readMime } from './parts.ts'
import { quotedBytes, readQuotedPrintable, writeQuotedPrintable } from './quoted-printable.ts'
import { CHUNK_BYTES, MAX_ATTACHMENT_BYTES, MIN_ATTACHMENT_BYTES } from './tuning.ts'

/** Returns why a mail must not change, or `undefined`: DKIM (RFC 6376), ARC, S/MIME (RFC 8551), PGP (RFC 3156, RFC 9580 armour). */
async function signatureOf(mail: Source, root: MimePart): Promise<Message | undefined> {
  for (const part of allParts(root)) {
    for (const name of ['dkim-signature', 'domainkey-signature', 'arc-message-signature', 'x-google-dkim-signature']) {
      if (part.headers.has(name)) return message('signed_by_header', { name })
    }
    if (/^multipart\/(signed|encrypted)$/.test(part.type)) return message('of_media_type', { type: part.type })
    if (/^application\/(x-)?pkcs7|^application\/pgp/.test(part.type)) return message('of_media_type', { type: part.type })
  }
  const armour = latin1Bytes('-----BEGIN PGP ')
  let end = new Uint8Array()
  for await (const chunk of mail.stream()) {
    const bytes = concat([end, chunk])
    if (indexOfBytes(bytes, armour) >= 0) return message('pgp_armour')
    end = bytes.slice(-armour.length)
  }
  return undefined
}

/** Yields parts that may be attachments whose encoding can be reproduced exactly. */
function* candidates(root: MimePart): Generator<MimePart> {
  for (const part of allParts(root)) {
    if (part.children.length > 0 || part.headers.has('content-md5')) continue
    if (part.encoding !== 'base64' && part.encoding !== 'quoted-printable') continue
    // Line breaks of a text may follow the mail's convention, so a text is only a file if it has a file name and base64 encoding.
    if (part.type.startsWith('text/') && (part.fileName === undefined || part.encoding !== 'base64')) continue
    const length = part.end - part.start
    if (length >= MIN_ATTACHMENT_BYTES && length <= MAX_ATTACHMENT_BYTES * 1.4) yield part
  }
}

/** A decoded attachment, with functions to encode a replacement. */
interface Body {
  readonly bytes: Uint8Array
  /** Encodes bytes with the attachment's transfer encoding and line length. */
  write(bytes: Uint8Array): Iterable<Uint8Array>
  /** Encoded size of bytes, without line breaks. */
  sizeOf(bytes: Uint8Array): number
}

async function bodyOf(mail: Source, { encoding, start, end }: MimePart): Promise<Body | undefined> {
  const raw = bytesOf(mail, start, end)
  if (encoding === 'base64') {
    const body = await readBase64(raw, end - start)
    return body && { bytes: body.bytes, write: (bytes) => writeBase64(body, bytes), sizeOf: ({ length }) => Math.ceil(length / 3) * 4 }
  }
  const body = await readQuotedPrintable(raw, end - start)
  return body && { bytes: body.bytes, write: (bytes) => writeQuotedPrintable(body, bytes), sizeOf: quotedBytes }
}

async function* bytesOf(mail: Source, start: number, end: number): AsyncGenerator<Uint8Array> {
  for (let at = start; at < end; ) {
    const chunk = await mail.read(at, Math.min(CHUNK_BYTES, end - at))
    if (chunk.length === 0) throw new RangeError('the mail ended before the expected size')
    at += chunk.length
    yield chunk
  }
}

async function copy(mail: Source, start: number, end: number, sink: Sink): Promise<void> {
  for await (const chunk of bytesOf(mail, start, end)) await sink.write(chunk.slice())
}

/** Recompresses a mail's attachments. Memory holds one attachment and its result; the mail is read by ranges. */
export async function compressMail(mail: Source, sink: Sink, options: Options): Promise<Outcome> {
  const root = await readMime(mail.stream())
  if (!root) return { kind: 'unchanged', reason: 'unsupported_feature', detail: message('structure_of_this_mail_not_understood') }
  const signature = await signatureOf(mail, root)
  if (signature) return { kind: 'unchanged', reason: 'signed', detail: signature }

  let [at, found, gained] = [0, 0, 0]
  const gone = new RemovedData()
  let loss: PictureLoss | undefined
  for (const part of candidates(root)) {
    options.signal.throwIfAborted()
    const body = await bodyOf(mail, part)
    if (!body) continue
    found++
    const result = await compressAttachment(body, part.fileName ?? 'attachment', options)
    options.progress(part.end / mail.size)
    if (!result || lengthOf(body.write(result.bytes)) >= part.end - part.start) continue
    gained++
    if (result.loss) loss = worseLoss(loss, result.loss)
    gone.add(result.removed)
    await copy(mail, at, part.start, sink)
    for (const lines of body.write(result.bytes)) await sink.write(lines)
    at = part.end
  }
  if (gained === 0) return { kind: 'unchanged', reason: 'no_gain' }
  await copy(mail, at, mail.size, sink)
  const steps = [message('attachments_recompressed', { gained, found }), ...gone.steps(), ...(options.inner.time?.steps() ?? [])]
  return { kind: 'compressed', ...lossOf(loss), steps, ...gone.field() }
}

function lengthOf(chunks: Iterable<Uint8Array>): number {
  let length = 0
  for (const chunk of chunks) length += chunk.length
  return length
}

/** `undefined`: the attachment stays. */
type SmallerAttachment = Pick<RecompressedPicture, 'bytes' | 'loss' | 'removed'> | undefined

async function compressAttachment({ bytes, sizeOf }: Body, name: string, options: Options): Promise<SmallerAttachment> {
  if (readPictureHeader(bytes)) return recompressPicture(bytes, name, options, { sizeOf })
  if (options.inner.time?.take(estimateFileSeconds(bytes.length), 'file') === false) return undefined
  const result = await options.inner.compress(bytes, name)
  if (result.kind === 'unchanged' || result.bytes.length >= bytes.length) return undefined
  const { loss } = result.outcome
  const made = { bytes: result.bytes, removed: removedFrom(result.outcome) }
  if (!loss) return made
  return loss.pictures && { ...made, loss: loss.pictures }
}

/**
 * Verifies the result: all parts are equal byte for byte except attachments, and changed pictures decode with the same kind and aspect
 * ratio.
 */
export async function verifyMail(mail: Source, fresh: Source): Promise<Verdict> {
  const different = (difference: string): Verdict => ({ equal: false, difference })
  const [root, after] = [await readMime(mail.stream()), await readMime(fresh.stream())]
  if (!root || !after) return different('the result is not a readable mail')
  const [before, now] = [[...allParts(root)], [...allParts(after)]]
  if (before.length !== now.length) return different(`${before.length} parts became ${now.length}`)
  const rewrittenOf = new Map(before.map((part, index) => [part, now[index]!]))
  const differ = (from: number, to: number, freshFrom: number, freshTo: number) =>
    to - from === freshTo - freshFrom
      ? streamDifference(bytesOf(mail, from, to), bytesOf(fresh, freshFrom, freshTo))
      : `${to - from} bytes became ${freshTo - freshFrom}`
  let [at, freshAt] = [0, 0]
  for (const part of candidates(root)) {
    const rewritten = rewrittenOf.get(part)!
    if ((await differ(part.start, part.end, rewritten.start, rewritten.end)) === undefined) continue
    if (await differ(at, part.start, freshAt, rewritten.start)) return different(`bytes before ${part.start} changed`)
    ;[at, freshAt] = [part.end, rewritten.end]
    const [body, decoded] = [await bodyOf(mail, part), await bodyOf(fresh, rewritten)]
    if (!body || !decoded || (await streamDifference(chunksOf(body.write(decoded.bytes)), bytesOf(fresh, rewritten.start, rewritten.end))))
      return different(`the line layout of attachment ${part.fileName} changed`)
    const problem = readPictureHeader(body.bytes) ? await pictureProblem(body.bytes, decoded.bytes) : unlikeHead(body.bytes, decoded.bytes)
    if (problem) return different(`attachment ${part.fileName}: ${problem}`)
  }
  return (await differ(at, mail.size, freshAt, fresh.size)) ? different('the end of the mail changed') : { equal: true }
}

async function* chunksOf(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* chunks
}

/** Other attachments were verified by their codec. Here only their first two bytes must be equal. */
function unlikeHead(before: Uint8Array, after: Uint8Array): string | undefined {
  return equalBytes(before.subarray(0, 2), after.subarray(0, 2)) ? undefined : 'another file format'
}

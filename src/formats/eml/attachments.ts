/** Mail to mail: attachments go through their own rooms and come back in the same transfer encoding and lines. */
import { type Options, type Outcome, OverBudget, type Sink, type Source, type Verdict } from '../../codec/codec.ts'
import { readAll } from '../../codec/source.ts'
import { type Base64Body, readBase64, writeBase64 } from '../../containers/mime/base64.ts'
import { everyPart, type MimePart, readMime } from '../../containers/mime/parts.ts'
import { pictureFacts } from '../../containers/pictures/facts.ts'
import { recompressPicture } from '../../containers/pictures/recompress.ts'
import { unlikePictures } from '../../containers/pictures/room.ts'

/** A mail and one attachment with its result are held in memory. */
const MOST_BYTES = 40 * 1024 * 1024
const MOST_ATTACHMENT_BYTES = 24 * 1024 * 1024
const SMALLEST_ATTACHMENT_BYTES = 600

/** Why a mail may not be changed: DKIM (RFC 6376), ARC, S/MIME (RFC 8551), PGP (RFC 3156, RFC 9580 armour). */
function seal(mail: Uint8Array, root: MimePart): string | undefined {
  for (const part of everyPart(root)) {
    for (const name of ['dkim-signature', 'domainkey-signature', 'arc-message-signature', 'x-google-dkim-signature']) {
      if (part.headers.has(name)) return `signed (${name})`
    }
    if (/^multipart\/(signed|encrypted)$/.test(part.type)) return part.type
    if (/^application\/(x-)?pkcs7|^application\/pgp/.test(part.type)) return part.type
  }
  const armour = Buffer.from(mail.buffer, mail.byteOffset, mail.byteLength).indexOf('-----BEGIN PGP ')
  return armour >= 0 ? 'PGP armour' : undefined
}

interface Attachment {
  readonly part: MimePart
  readonly body: Base64Body
}

/** Attachments that can be written again exactly as they were. */
function* attachments(mail: Uint8Array, root: MimePart): Generator<Attachment> {
  for (const part of everyPart(root)) {
    if (part.encoding !== 'base64' || part.children.length > 0 || part.headers.has('content-md5')) continue
    if (part.type.startsWith('text/') && part.fileName === undefined) continue
    const length = part.end - part.start
    if (length < SMALLEST_ATTACHMENT_BYTES || length > MOST_ATTACHMENT_BYTES * 1.4) continue
    const body = readBase64(mail.subarray(part.start, part.end))
    if (body) yield { part, body }
  }
}

export async function compressMail(source: Source, sink: Sink, options: Options): Promise<Outcome> {
  if (source.size > MOST_BYTES) throw new OverBudget(`a mail of ${source.size} bytes is not rewritten in memory`)
  const mail = await readAll(source)
  const root = readMime(mail)
  if (!root) return { kind: 'unchanged', reason: 'unsupported_feature', detail: 'the structure of this mail is not understood' }
  const sealed = seal(mail, root)
  if (sealed) return { kind: 'unchanged', reason: 'signed', detail: sealed }

  let [at, found, gained] = [0, 0, 0]
  let loss: { ssim: number; psnrDb: number } | undefined
  for (const { part, body } of attachments(mail, root)) {
    options.signal.throwIfAborted()
    found++
    const result = await compressAttachment(body.bytes, part.fileName ?? 'attachment', options)
    options.progress(part.end / mail.length)
    if (!result) continue
    gained++
    if (result.loss) {
      loss = {
        ssim: Math.min(result.loss.ssim, loss?.ssim ?? 1),
        psnrDb: Math.min(result.loss.psnrDb, loss?.psnrDb ?? Number.POSITIVE_INFINITY),
      }
    }
    await sink.write(mail.slice(at, part.start))
    await sink.write(new Uint8Array(Buffer.from(writeBase64(body, result.bytes), 'latin1')))
    at = part.end
  }
  if (gained === 0) return { kind: 'unchanged', reason: 'no_gain' }
  await sink.write(mail.slice(at))
  const steps = [`${gained} of ${found} attachments recompressed in place`]
  return loss ? { kind: 'compressed', fidelity: 'perceptual', ...loss, steps } : { kind: 'compressed', fidelity: 'lossless', steps }
}

async function compressAttachment(bytes: Uint8Array, name: string, options: Options) {
  if (pictureFacts(bytes)) return recompressPicture(bytes, name, options)
  const result = await options.inner.compress(bytes, name)
  if (result.kind === 'unchanged' || result.bytes.length >= bytes.length) return undefined
  const { outcome } = result
  if (outcome.fidelity === 'lossless') return { bytes: result.bytes }
  return outcome.ssim === undefined ? undefined : { bytes: result.bytes, loss: { ssim: outcome.ssim, psnrDb: outcome.psnrDb } }
}

/** The same parts, byte for byte but for attachments; changed pictures decode in the same kind and shape. */
export async function verifyMail(original: Source, result: Source): Promise<Verdict> {
  const different = (difference: string): Verdict => ({ equal: false, difference })
  const [mail, fresh] = [await readAll(original), await readAll(result)]
  const [root, after] = [readMime(mail), readMime(fresh)]
  if (!root || !after) return different('the result is no mail of the same kind')
  const [before, now] = [[...attachments(mail, root)], [...everyPart(after)]]
  if ([...everyPart(root)].length !== now.length) return different('another number of parts')
  const order = new Map([...everyPart(root)].map((part, index) => [part, index]))
  let [at, freshAt] = [0, 0]
  for (const { part, body } of before) {
    const twin = now[order.get(part)!]!
    if (Buffer.compare(mail.subarray(at, part.start), fresh.subarray(freshAt, twin.start)) !== 0)
      return different(`bytes before ${part.start} changed`)
    ;[at, freshAt] = [part.end, twin.end]
    const unchanged = Buffer.compare(mail.subarray(part.start, part.end), fresh.subarray(twin.start, twin.end)) === 0
    if (unchanged) continue
    const text = fresh.subarray(twin.start, twin.end)
    const decoded = readBase64(text)
    if (!decoded || writeBase64(body, decoded.bytes) !== Buffer.from(text).toString('latin1'))
      return different(`the lines of attachment ${part.fileName} changed`)
    const problem = pictureFacts(body.bytes) ? await unlikePictures(body.bytes, decoded.bytes) : unlikeHead(body.bytes, decoded.bytes)
    if (problem) return different(`attachment ${part.fileName}: ${problem}`)
  }
  return Buffer.compare(mail.subarray(at), fresh.subarray(freshAt)) === 0 ? { equal: true } : different('the end of the mail changed')
}

/** Other kinds were verified by their own room; here they must still be of that kind. */
function unlikeHead(before: Uint8Array, after: Uint8Array): string | undefined {
  return Buffer.compare(before.subarray(0, 2), after.subarray(0, 2)) === 0 ? undefined : 'another kind of file'
}

/**
 * Codec for NIfTI. `.nii` becomes `.nii.gz`, which every reader supports; `.nii.gz` is deflated again with a better compressor. The volume
 * is unchanged to the last byte. The gzip stream has one member, because some readers stop after the first. Pairs of `.hdr` and `.img` in
 * a ZIP archive are deflated again inside it.
 */

import { isEngineError } from '../../../../wasm/engine-error.ts'
import { gunzipStream, gzipStream } from '../../bytes/gzip.ts'
import { DEFAULT_EFFORT, type Effort } from '../../catalog/effort.ts'
import { NIFTI } from '../../catalog/formats/nifti.ts'
import { gzipMethodOf } from '../../containers/wrapper/levels.ts'
import { compressWrapped, gzipMethodName, isWrapper, verifyWrapped } from '../../containers/wrapper/wrapper.ts'
import { openZip, readEntry, type ZipArchive } from '../../containers/zip/read.ts'
import { repack, verifyRepacked } from '../../containers/zip/repack.ts'
import { message } from '../../i18n/message.ts'
import type { Codec, Options, Outcome, Sink, Source } from '../../model/codec.ts'
import { malformed, overBudget, unsupported } from '../../model/error.ts'
import { rangeStream } from '../../model/source.ts'
import { HEADER_BYTES, type NiftiHeader, readNiftiHeader } from './header.ts'

type Chunks = AsyncGenerator<Uint8Array, void, undefined>

/** Largest volume in bytes that a job can deflate in its CPU time. */
const MAX_VOLUME_BYTES = 1_500_000_000
/** Most bytes after the volume: some writers leave extensions and padding. More indicates a decompression bomb. */
const SLACK_BYTES = 1 << 20

export const nifti: Codec = {
  format: NIFTI,

  async compress(source, sink, options) {
    if (isWrapper(options.output)) return compressWrapped(source, sink, options)
    if (await isZip(source)) {
      const outcome = await repack(await openPair(source), sink, options)
      return outcome.kind === 'compressed' ? { ...outcome, output: 'nifti' } : outcome
    }
    const file = await open(source)
    const fileBytes = file.gzipped ? file.header.endOfVolume : source.size
    return damagedAsMalformed(() =>
      deflate(payload(file, source, options, 0, 0.7), fileBytes, sink, { again: file.gzipped, effort: options.effort }),
    )
  },

  async verify(original, result, _outcome, options) {
    if (isWrapper(options.output)) return verifyWrapped(original, result, options)
    if (await isZip(original)) return verifyRepacked(await openPair(original), result, options)
    const file = await open(original)
    const stored = payload({ header: file.header, gzipped: true }, result, options, 1, 0)
    const difference = await damagedAsMalformed(() => streamsDiffer(payload(file, original, options, 0.7, 0.3), stored))
    return difference === undefined ? { equal: true } : { equal: false, difference }
  },
}

interface NiftiFile {
  readonly header: NiftiHeader
  readonly gzipped: boolean
}

async function open(source: Source): Promise<NiftiFile> {
  const start = await source.read(0, HEADER_BYTES)
  const gzipped = start[0] === 0x1f && start[1] === 0x8b
  const header = readNiftiHeader(gzipped ? await firstBytes(source, HEADER_BYTES) : start)
  if (!header) throw malformed('nifti', 0, 'dimensions_make_no_sense')
  if (!header.single) throw unsupported('header_whose_image_another_file')
  if (header.endOfVolume > MAX_VOLUME_BYTES) throw overBudget(message('volume_of_bytes', { bytes: header.endOfVolume }))
  if (!gzipped && header.endOfVolume > source.size) {
    throw malformed('nifti', source.size, message('header_promises_bytes', { bytes: header.endOfVolume }))
  }
  return { header, gzipped }
}

async function isZip(source: Source): Promise<boolean> {
  const [p, k] = await source.read(0, 2)
  return p === 0x50 && k === 0x4b
}

/** Opens a ZIP archive with pairs of header (`.hdr`) and image (`.img`). Checks each header's dimensions against its image. */
async function openPair(source: Source): Promise<ZipArchive> {
  const archive = await openZip(source, 'nifti')
  for (const entry of archive.entries) {
    if (!/\.hdr$/i.test(entry.name) || entry.size < 348 || entry.size > 1 << 20) continue
    const header = readNiftiHeader(await readEntry(archive, entry))
    const image = archive.entries.find(({ name }) => name.toLowerCase() === entry.name.toLowerCase().replace(/\.hdr$/, '.img'))
    if (header && image && image.size < header.endOfVolume) {
      throw malformed(
        'nifti',
        0,
        message('header_promises_more_than_image', {
          name: entry.name,
          bytes: header.endOfVolume,
          imageName: image.name,
          size: image.size,
        }),
      )
    }
  }
  return archive
}

async function firstBytes(source: Source, length: number): Promise<Uint8Array> {
  const head = new Uint8Array(length)
  let filled = 0
  // The decoder's chunks are small, so the head is full before the limit is reached.
  for await (const chunk of damaged(gunzipStream(source.stream(), length + (1 << 20)))) {
    const part = chunk.subarray(0, length - filled)
    head.set(part, filled)
    filled += part.length
    if (filled === length) break
  }
  return head.subarray(0, filled)
}

/** Yields the NIfTI file, decompressed if it is compressed. */
async function* payload(file: NiftiFile, source: Source, options: Options, start: number, share: number): Chunks {
  let done = 0
  const total = file.header.endOfVolume
  const watched = async function* (): Chunks {
    for await (const chunk of rangeStream(source.size, (offset, length) => source.read(offset, length), 1 << 20)) {
      options.signal.throwIfAborted()
      yield chunk
    }
  }
  const chunks = file.gzipped ? gunzipStream(watched(), total + SLACK_BYTES) : watched()
  for await (const chunk of chunks) {
    yield chunk
    done += chunk.length
    if (share > 0) options.progress(start + share * Math.min(1, done / total))
  }
  if (done < total) throw malformed('nifti', done, message('header_promises_bytes', { bytes: total }))
}

/** `again`: true if the upload is compressed already. */
interface Deflation {
  readonly again: boolean
  readonly effort: Effort | undefined
}

async function deflate(input: Chunks, inputBytes: number, sink: Sink, { again, effort }: Deflation): Promise<Outcome> {
  const method = gzipMethodOf(inputBytes, effort ?? DEFAULT_EFFORT)
  for await (const chunk of gzipStream(input, inputBytes, method)) await sink.write(chunk)
  return {
    kind: 'compressed',
    steps: [message(again ? 'deflated_again_as_one_member' : 'gzip_as_one_member', { how: gzipMethodName(method) })],
  }
}

/** Compares two streams whose chunk boundaries may differ. Describes the first difference; `undefined`: none. */
async function streamsDiffer(wanted: Chunks, got: Chunks): Promise<string | undefined> {
  let rest: Uint8Array = new Uint8Array()
  let at = 0
  try {
    for await (const chunk of wanted) {
      for (let i = 0; i < chunk.length; ) {
        if (rest.length === 0) {
          const next = await got.next()
          if (next.done) return `the result ends at byte ${at}`
          rest = next.value
        }
        const length = Math.min(rest.length, chunk.length - i)
        for (let j = 0; j < length; j++) if (rest[j] !== chunk[i + j]) return `byte ${at + j} differs`
        rest = rest.subarray(length)
        i += length
        at += length
      }
    }
    return rest.length > 0 || !(await got.next()).done ? `the result continues after byte ${at}` : undefined
  } finally {
    await got.return()
  }
}

async function* damaged(chunks: Chunks): Chunks {
  try {
    yield* chunks
  } catch (error) {
    throw isEngineError(error, 'deflate') ? malformed('nifti', 0, message('engine_reports', { problem: error.message })) : error
  }
}

async function damagedAsMalformed<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw isEngineError(error, 'deflate') ? malformed('nifti', 0, message('engine_reports', { problem: error.message })) : error
  }
}

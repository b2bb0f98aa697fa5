/**
 * Codec for gzip files. Compresses the content of each member again. Headers with name, time, comment and extra field keep all their bytes,
 * and so do bytes behind the last member.
 */
import { gzipStream } from '../../bytes/gzip.ts'
import { maxOf } from '../../bytes/min-max.ts'
import { DEFAULT_EFFORT } from '../../catalog/effort.ts'
import { GZ } from '../../catalog/formats/gz.ts'
import { gzipMethodOf } from '../../containers/wrapper/levels.ts'
import { compressWrapped, gzipMethodName, verifyWrapped } from '../../containers/wrapper/wrapper.ts'
import { message } from '../../i18n/message.ts'
import type { Codec, Options, Outcome, Sink, Source } from '../../model/codec.ts'
import { WriteBuffer } from '../../model/sink.ts'
import { GzipMembers } from './read.ts'
import { WINDOW_BYTES } from './tuning.ts'
import { verifyGzip } from './verify.ts'

/** Bytes of the header that `gzipStream` writes. */
const PLAIN_HEADER_BYTES = 10

export const gz: Codec = {
  format: GZ,
  compress: (source, sink, options) => (options.output === 'gz' ? repack(source, sink, options) : compressWrapped(source, sink, options)),
  verify: (original, result, _outcome, options) =>
    options.output === 'gz' ? verifyGzip(original, result, options) : verifyWrapped(original, result, options),
}

async function repack(source: Source, sink: Sink, options: Options): Promise<Outcome> {
  const { effort = DEFAULT_EFFORT, signal } = options
  const lengths = await contentLengths(source, options)
  const buffer = new WriteBuffer(sink)
  using members = new GzipMembers(source, signal)
  for (const length of lengths) {
    await buffer.write((await members.header())!)
    let skipped = 0
    for await (const chunk of gzipStream(members.content(), length, gzipMethodOf(length, effort))) {
      const plain = chunk.subarray(Math.min(chunk.length, PLAIN_HEADER_BYTES - skipped))
      skipped += chunk.length - plain.length
      await buffer.write(plain)
    }
    options.progress(0.2 + (0.5 * members.at) / source.size)
  }
  for (let at = members.at; at < source.size; at += WINDOW_BYTES) await buffer.write(await source.read(at, WINDOW_BYTES))
  await buffer.flush()
  const how = gzipMethodName(gzipMethodOf(maxOf(lengths), effort))
  return { kind: 'compressed', steps: [message('gzip_of', { how })] }
}

/** Reads the whole file once, because the method depends on the length of the content, and damage must be found before anything is written. */
async function contentLengths(source: Source, { signal, progress }: Options): Promise<number[]> {
  using members = new GzipMembers(source, signal)
  const lengths: number[] = []
  while (await members.header()) {
    let length = 0
    for await (const chunk of members.content()) length += chunk.length
    lengths.push(length)
    progress((0.2 * members.at) / source.size)
  }
  return lengths
}

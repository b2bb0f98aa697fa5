/** Writes FLAC files: with frames that are encoded again, or with the frames of the original. */
import { FlacEncoder } from '../../../../wasm/flac/flac.ts'
import { concat } from '../../bytes/concat.ts'
import { type Options, PATCHABLE_BYTES, type Sink, type Source } from '../../model/codec.ts'
import { bytesOf, type PlannedBlock } from './blocks.ts'
import { framesOf } from './decode.ts'
import { blockHeader, type FlacFile, HEADER_BYTES, SEEK_TABLE, STREAM_INFO, STREAM_INFO_BYTES } from './file.ts'
import { NewSeekTable, parseSeekTable } from './seek-table.ts'
import { BLOCK_SAMPLES, FLAC_LEVEL, MAX_PRECISE_DEEP_SAMPLES, MAX_PRECISE_SAMPLES, PIECE_BYTES } from './tuning.ts'

const SIGNATURE = new TextEncoder().encode('fLaC')

/** Blocks of a result whose frames are encoded again, with their new seek tables. */
export interface EncodingPlan {
  readonly blocks: readonly PlannedBlock[]
  /** New seek tables, with the offset of each in the result. */
  readonly tables: readonly { readonly at: number; readonly table: NewSeekTable }[]
}

/** Returns the blocks with empty seek tables of the new size. `undefined`: a table or STREAMINFO cannot be patched at the end. */
export async function planEncoding(source: Source, file: FlacFile, planned: readonly PlannedBlock[]): Promise<EncodingPlan | undefined> {
  const tables: { at: number; table: NewSeekTable }[] = []
  const blocks: PlannedBlock[] = []
  let at = file.frontBytes + 2 * HEADER_BYTES + STREAM_INFO_BYTES
  let patchedUpTo = at
  for (const block of planned) {
    if (block.type !== SEEK_TABLE) blocks.push(block)
    else {
      const table = new NewSeekTable(parseSeekTable(await source.read(block.offset, block.size)), BLOCK_SAMPLES, file.info.samples)
      tables.push({ at: at + HEADER_BYTES, table })
      blocks.push({ ...block, body: new Uint8Array(table.bytes) })
      patchedUpTo = at + HEADER_BYTES + table.bytes
    }
    at += bytesOf(blocks.at(-1)!)
  }
  return patchedUpTo <= PATCHABLE_BYTES ? { blocks, tables } : undefined
}

/** Bytes in front of the frames. */
export const headBytes = ({ frontBytes }: FlacFile, blocks: readonly PlannedBlock[]): number =>
  blocks.reduce((sum, block) => sum + bytesOf(block), frontBytes + 2 * HEADER_BYTES + STREAM_INFO_BYTES)

/** Writes everything in front of the frames. */
export async function writeHead(
  source: Source,
  file: FlacFile,
  blocks: readonly PlannedBlock[],
  streamInfo: Uint8Array,
  sink: Sink,
): Promise<void> {
  await copyRange(source, 0, file.frontBytes, sink)
  await sink.write(concat([SIGNATURE, blockHeader(STREAM_INFO, STREAM_INFO_BYTES, blocks.length === 0), streamInfo]))
  for (const [i, { type, offset, size, body }] of blocks.entries()) {
    await sink.write(blockHeader(type, body?.length ?? size, i === blocks.length - 1))
    if (body) await sink.write(body.slice())
    else await copyRange(source, offset, offset + size, sink)
  }
}

/** Copies the frames of the original, and the bytes behind them. */
export async function copyFrames(source: Source, { framesOffset }: FlacFile, sink: Sink, options: Options): Promise<void> {
  await copyRange(source, framesOffset, source.size, sink, options)
}

export async function readStreamInfo(source: Source, { frontBytes }: FlacFile): Promise<Uint8Array> {
  return (await source.read(frontBytes + 2 * HEADER_BYTES, STREAM_INFO_BYTES)).slice()
}

async function copyRange(source: Source, from: number, to: number, sink: Sink, options?: Options): Promise<void> {
  for (let at = from; at < to; at += PIECE_BYTES) {
    options?.signal.throwIfAborted()
    await sink.write((await source.read(at, Math.min(PIECE_BYTES, to - at))).slice())
  }
}

/** Settings of libFLAC for a file. */
const settingsOf = ({ info: { channels, bits, hertz, samples } }: FlacFile) => ({
  channels,
  bits,
  hertz,
  level: FLAC_LEVEL,
  totalFrames: samples,
  precise: samples > 0 && samples * channels <= (bits <= 16 ? MAX_PRECISE_SAMPLES : MAX_PRECISE_DEEP_SAMPLES),
})

/**
 * Decodes all frames and writes them encoded again. Decoding goes on if the result becomes too large, so that damage is found.
 * @param limit bytes that the result must stay below
 * @returns true if the result is complete
 * @throws CodecError (malformed) if the original is damaged
 */
export async function writeEncoded(
  source: Source,
  file: FlacFile,
  { blocks, tables }: EncodingPlan,
  limit: number,
  { sink, options }: { readonly sink: Sink; readonly options: Options },
): Promise<boolean> {
  await writeHead(source, file, blocks, new Uint8Array(STREAM_INFO_BYTES), sink)
  using encoder = new FlacEncoder(settingsOf(file), { comments: [], applications: [], pictures: [] })
  // The encoder begins with its own metadata blocks, which are not used.
  encoder.encode(new Int32Array(0))
  const start = sink.written
  let [fits, frame, samples] = [true, 0, 0]
  const write = async (chunks: readonly Uint8Array[]) => {
    for (const chunk of chunks) {
      fits &&= sink.written + chunk.length < limit
      if (!fits) return
      for (const { table } of tables) table.add(frame, sink.written - start)
      frame++
      await sink.write(chunk)
    }
  }
  const frames = framesOf(source, file, options)
  try {
    let step = await frames.next()
    for (; !step.done; step = await frames.next()) {
      samples += step.value.samples.length / file.info.channels
      if (fits) await write(encoder.encode(step.value.samples))
      options.progress((0.6 * step.value.end) / source.size)
    }
    if (!fits) return false
    const { chunks, streamInfo } = encoder.finish()
    await write(chunks)
    if (!fits || sink.written + source.size - step.value >= limit) return false
    await copyRange(source, step.value, source.size, sink)
    sink.patch(file.frontBytes + 2 * HEADER_BYTES, streamInfo)
    for (const { at, table } of tables) sink.patch(at, table.body(samples))
    return true
  } finally {
    await frames.return(0)
  }
}

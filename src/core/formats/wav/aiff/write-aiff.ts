/** Writes AIFF and AIFF-C files with samples in another form. All other chunks are copied in place, except padding. */
import { concat } from '../../../bytes/concat.ts'
import { latin1Bytes } from '../../../bytes/latin1.ts'
import { ByteWriter } from '../../../bytes/writer.ts'
import type { RiffChunk } from '../../../containers/riff/riff.ts'
import type { Options, Sink, Source } from '../../../model/codec.ts'
import type { SampleForm } from '../analyse.ts'
import type { Wave } from '../header.ts'
import { COPY_BYTES } from '../tuning.ts'
import { isEmptyPadding, targetLayout, writeSamples } from '../write.ts'
import { COMM_BYTES } from './read-aiff.ts'
import { swapped } from './riff-order.ts'

/** Version of AIFF-C, which the chunk FVER names: 23 May 1990. */
const AIFC_VERSION = 0xa2805140
const SSND_HEAD_BYTES = 8

const iffHeader = (id: string, size: number) => new ByteWriter(new Uint8Array(8), false).ascii(id).u32(size).finish()
const padded = (bytes: number) => bytes + (bytes & 1)

/** New content of a chunk, or a range of the original. */
interface Part {
  readonly id: string
  readonly size: number
  write(): Promise<void>
}

/**
 * Writes the file with its samples in the form `target`. `undefined`: samples are copied.
 * @returns the signal-to-noise ratio of the result in dB
 */
export async function writeAiff(source: Source, wave: Wave, target: SampleForm | undefined, sink: Sink, options: Options): Promise<number> {
  let snrDb = Number.POSITIVE_INFINITY
  const copied = ({ id, offset, size }: { id: string; offset: number; size: number }): Part => ({
    id,
    size,
    write: () => copyRange(source, offset, offset + size, sink, options),
  })
  const fresh = (id: string, body: Uint8Array): Part => ({ id, size: body.length, write: () => sink.write(body.slice()) })
  const isAifc = wave.container === 'AIFC' || (target !== undefined && target.coding !== 'integer')
  const comm = target && (await commonChunk(source, wave, target, isAifc))
  const kept: RiffChunk[] = []
  for (const chunk of wave.chunks) if (!(await isEmptyPadding(source, chunk))) kept.push(chunk)
  const parts = kept.map((chunk): Part => {
    if (!target || !comm) return copied(chunk)
    if (chunk.id === 'COMM') return fresh('COMM', comm)
    if (chunk.id !== 'SSND') return copied(chunk)
    const write = async () => {
      await sink.write(new Uint8Array(SSND_HEAD_BYTES))
      snrDb = await writeSamples(source, wave, target, iffSink(sink, wave, target), options)
    }
    return { id: 'SSND', size: SSND_HEAD_BYTES + wave.frames * targetLayout(wave.layout, target).blockBytes, write }
  })
  if (isAifc && wave.container !== 'AIFC') parts.unshift(fresh('FVER', new ByteWriter(new Uint8Array(4), false).u32(AIFC_VERSION).finish()))
  const formBytes = 4 + parts.reduce((sum, { size }) => sum + 8 + padded(size), 0)
  await sink.write(concat([iffHeader('FORM', formBytes), latin1Bytes(isAifc ? 'AIFC' : 'AIFF')]))
  for (const { id, size, write } of parts) {
    await sink.write(iffHeader(id, size))
    await write()
    if (size & 1) await sink.write(new Uint8Array(1))
  }
  await copyRange(source, wave.tail.offset, wave.tail.offset + wave.tail.size, sink, options)
  return snrDb
}

/** COMM with the number of bits and, in AIFF-C, the kind of compression. Channels, frames and sample rate stay byte for byte. */
async function commonChunk(source: Source, { chunks, layout }: Wave, target: SampleForm, isAifc: boolean): Promise<Uint8Array> {
  const old = (await source.read(chunks.find(({ id }) => id === 'COMM')!.offset, COMM_BYTES)).slice()
  // G.711 has samples of 16 bits before compression.
  const isLaw = target.coding === 'alaw' || target.coding === 'mulaw'
  new ByteWriter(old, false).at(6).u16(isLaw ? 16 : target.bits)
  if (!isAifc) return old
  const names = {
    integer: layout.iff?.isLittleEndian ? 'sowt' : 'NONE',
    float: target.bits === 32 ? 'fl32' : 'fl64',
    alaw: 'alaw',
    mulaw: 'ulaw',
    ima: 'ima4',
  }
  // The name of the compression is an empty text, padded to two bytes.
  return concat([old, latin1Bytes(names[target.coding]), new Uint8Array(2)])
}

/** Sink that gets samples in the order of WAVE and writes them in the order of AIFF. */
function iffSink(sink: Sink, { layout }: Wave, { coding, bits }: SampleForm): Pick<Sink, 'write'> {
  const isLaw = coding === 'alaw' || coding === 'mulaw'
  const keepsOrder = isLaw || (bits > 8 && coding === 'integer' && layout.iff?.isLittleEndian === true)
  const inOrder = (chunk: Uint8Array) => {
    if (keepsOrder) return chunk
    return bits === 8 ? chunk.map((byte) => byte ^ 0x80) : swapped(chunk, bits / 8)
  }
  return { write: (chunk) => sink.write(inOrder(chunk)) }
}

async function copyRange(source: Source, from: number, to: number, sink: Sink, options: Options): Promise<void> {
  for (let at = from; at < to; at += COPY_BYTES) {
    options.signal.throwIfAborted()
    await sink.write((await source.read(at, Math.min(COPY_BYTES, to - at))).slice())
  }
}

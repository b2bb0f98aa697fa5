/** Writes a WAVE file with samples in another form. All other chunks are copied in place. */

import { discard } from '../../../../wasm/memories/discard.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import { chunkHeader, type RiffChunk } from '../../containers/riff/riff.ts'
import { SnrMeter } from '../../metrics/snr.ts'
import type { Options, Sink, Source } from '../../model/codec.ts'
import type { SampleForm } from './analyse.ts'
import { Dither } from './dither.ts'
import { g711 } from './g711.ts'
import { formatBody, type Layout, type Wave } from './header.ts'
import { ImaEncoder } from './ima.ts'
import { in16BitUnits, packIntegers, readSamples, roundTo16Bits, type SampleBlock } from './samples.ts'
import { COPY_BYTES } from './tuning.ts'

/** Chunks that this writer generates. */
const MADE_ANEW = new Set(['ds64', 'fact'])
/** Padding chunks, which are dropped if they hold only zeros. */
const FILLING = new Set(['JUNK', 'PAD ', 'FLLR'])
const FOUR_GIB = 2 ** 32

/**
 * Writes a WAVE file with its samples in the form `target`. `undefined`: samples are copied.
 * @returns the signal-to-noise ratio of the result in dB
 */
export async function writeWave(source: Source, wave: Wave, target: SampleForm | undefined, sink: Sink, options: Options): Promise<number> {
  const layout = target ? targetLayout(wave.layout, target) : wave.layout
  const ima = layout.coding === 'ima' && target ? new ImaEncoder(layout.hertz, layout.channels) : undefined
  const dataBytes = !target ? wave.data.size : ima ? ima.bytesFor(wave.frames) : wave.frames * layout.blockBytes
  const kept: RiffChunk[] = []
  for (const chunk of wave.chunks) {
    if (MADE_ANEW.has(chunk.id)) continue
    if (!(await isEmptyPadding(source, chunk))) kept.push(chunk)
  }
  const fact = layout.coding !== 'integer' || wave.chunks.some((chunk) => chunk.id === 'fact')
  const fmt = formatBody(layout)
  const oldFmt = wave.chunks.find((chunk) => chunk.id === 'fmt ')!
  const fmtBytes = target ? fmt.length : oldFmt.size
  const size = (chunk: RiffChunk) => (chunk.id === 'fmt ' ? fmtBytes : chunk.id === 'data' ? dataBytes : chunk.size)
  const padded = (bytes: number) => bytes + (bytes & 1)
  const formBytes = 4 + kept.reduce((sum, chunk) => sum + 8 + padded(size(chunk)), 0) + (fact ? 12 : 0)
  const wide = formBytes + 36 >= FOUR_GIB
  await sink.write(fileHeader(wave, wide, formBytes, dataBytes, wave.frames))
  let snrDb = Number.POSITIVE_INFINITY
  for (const chunk of kept) {
    if (chunk.id === 'fmt ') {
      await sink.write(chunkHeader('fmt ', fmtBytes))
      await sink.write(target ? fmt : (await source.read(chunk.offset, chunk.size)).slice())
      if (fact) {
        const frames = Math.min(wave.frames, FOUR_GIB - 1)
        await sink.write(ByteWriter.growing(true).ascii('fact').u32(4).u32(frames).finish())
      }
    } else if (chunk.id === 'data') {
      await sink.write(chunkHeader('data', wide ? FOUR_GIB - 1 : dataBytes))
      if (target) snrDb = await writeSamples(source, wave, target, sink, options)
      else await copy(source, chunk.offset, chunk.size, sink, options)
    } else {
      await sink.write(chunkHeader(chunk.id, chunk.size))
      await copy(source, chunk.offset, chunk.size, sink, options)
    }
    if (size(chunk) & 1) await sink.write(new Uint8Array(1))
  }
  // Bytes after the RIFF form are copied, for example an ID3 tag.
  await copy(source, wave.tail.offset, wave.tail.size, sink, options)
  return snrDb
}

/** True for a padding chunk with only zero bytes. */
export async function isEmptyPadding(source: Source, { id, offset, size }: RiffChunk): Promise<boolean> {
  if (!FILLING.has(id)) return false
  for (let at = 0; at < size; at += COPY_BYTES) {
    const bytes = await source.read(offset + at, Math.min(COPY_BYTES, size - at))
    if (bytes.some((byte) => byte !== 0)) return false
  }
  return true
}

export function targetLayout(layout: Layout, target: SampleForm): Layout {
  const { channels, hertz, mask } = layout
  if (target.coding === 'ima') {
    const ima = new ImaEncoder(hertz, channels)
    return { coding: 'ima', bits: 4, channels, hertz, blockBytes: ima.blockBytes, blockSamples: ima.blockSamples, mask: undefined }
  }
  return { coding: target.coding, bits: target.bits, channels, hertz, blockBytes: (channels * target.bits) / 8, blockSamples: 1, mask }
}

/** File header: `RIFF`…`WAVE`, or `RF64` with a ds64 chunk (EBU Tech 3306) if the form exceeds 4 GiB. */
function fileHeader(wave: Wave, wide: boolean, formBytes: number, dataBytes: number, frames: number): Uint8Array {
  const header = ByteWriter.growing(true)
  if (!wide) return header.ascii('RIFF').u32(formBytes).ascii('WAVE').finish()
  header
    .ascii(wave.container === 'BW64' ? 'BW64' : 'RF64')
    .u32(FOUR_GIB - 1)
    .ascii('WAVE')
  // The ds64 table of other chunk sizes is empty.
  return header
    .ascii('ds64')
    .u32(28)
    .u64(formBytes + 36)
    .u64(dataBytes)
    .u64(frames)
    .u32(0)
    .finish()
}

/** Writes all samples in the form `target`, in the order of WAVE. @returns the signal-to-noise ratio in dB */
export async function writeSamples(
  source: Source,
  wave: Wave,
  target: SampleForm,
  sink: Pick<Sink, 'write'>,
  options: Options,
): Promise<number> {
  const { hertz, channels } = wave.layout
  const meter = new SnrMeter()
  const ima = target.coding === 'ima' ? new ImaWriter(new ImaEncoder(hertz, channels), sink) : undefined
  const dither = target.coding === 'integer' && target.dithered ? new Dither(target.bits === 16 ? 16 : 24) : undefined
  for await (const samples of readSamples(source, wave, options, (share) => options.progress(0.4 + share * 0.5))) {
    if (ima) await ima.add(samples)
    else if (target.coding === 'alaw' || target.coding === 'mulaw') await sink.write(encodeLaw(samples, target.coding, meter))
    else if (dither) {
      const rounded = dither.round(samples)
      meter.add(
        in16BitUnits(samples),
        Float64Array.from(rounded, (value) => value / 2 ** (target.bits - 16)),
      )
      await sink.write(packIntegers(rounded, target.bits, target.bits))
    } else await sink.write(convert(samples, target))
  }
  if (!ima) return meter.decibels
  await ima.finish()
  return ima.snrDb
}

/** Encodes samples by a G.711 law. Adds signal and noise to `meter`. */
function encodeLaw(samples: SampleBlock, law: 'alaw' | 'mulaw', meter: SnrMeter): Uint8Array {
  const { compress, expand } = g711()[law]
  const rounded = roundTo16Bits(samples)
  const out = new Uint8Array(rounded.length)
  for (let i = 0; i < out.length; i++) out[i] = compress[rounded[i]! + 32768]!
  const original = in16BitUnits(samples)
  let noise = 0
  let signal = 0
  for (let i = 0; i < out.length; i++) {
    const d = original[i]! - expand[out[i]!]!
    noise += d * d
    signal += original[i]! * original[i]!
  }
  meter.noise += noise
  meter.signal += signal
  discard(rounded)
  discard(original)
  return out
}

/** Collects samples into whole IMA ADPCM blocks and writes them. */
class ImaWriter {
  readonly #ima: ImaEncoder
  readonly #sink: Pick<Sink, 'write'>
  // Ratios for both kinds of ADPCM decoder; the lower one is reported.
  readonly #exact = new SnrMeter()
  readonly #byProduct = new SnrMeter()
  #pending = new Int32Array(0)
  #original = new Float64Array(0)

  constructor(ima: ImaEncoder, sink: Pick<Sink, 'write'>) {
    this.#ima = ima
    this.#sink = sink
  }

  async add(samples: SampleBlock): Promise<void> {
    this.#pending = joined(this.#pending, roundTo16Bits(samples))
    this.#original = joinedFloats(this.#original, in16BitUnits(samples))
    const step = this.#ima.blockSamples * this.#ima.channels
    let at = 0
    for (; at + step <= this.#pending.length; at += step) await this.#write(at, step)
    this.#pending = this.#pending.slice(at)
    this.#original = this.#original.slice(at)
  }

  /** Writes the last ADPCM block, which may be short. */
  async finish(): Promise<void> {
    if (this.#pending.length) await this.#write(0, this.#pending.length)
  }

  get snrDb(): number {
    return Math.min(this.#exact.decibels, this.#byProduct.decibels)
  }

  async #write(at: number, count: number): Promise<void> {
    const { block, decoded, multiplied } = this.#ima.encode(this.#pending.subarray(at, at + count))
    const original = this.#original.subarray(at, at + count)
    this.#exact.add(original, decoded)
    this.#byProduct.add(original, multiplied)
    await this.#sink.write(block)
  }
}

/** Converts samples to a form that stores them exactly. */
function convert(samples: SampleBlock, target: SampleForm): Uint8Array {
  if (target.coding === 'float') {
    const out = new Float32Array(samples.values)
    return new Uint8Array(out.buffer)
  }
  const { bits } = target
  if (samples.kind === 'integer') return packIntegers(samples.values, samples.bits, bits)
  const scale = 2 ** (bits - 1)
  return packIntegers(
    Int32Array.from(samples.values, (value) => value * scale),
    bits,
    bits,
  )
}

function joined(a: Int32Array, b: Int32Array): Int32Array<ArrayBuffer> {
  const out = new Int32Array(a.length + b.length)
  out.set(a)
  out.set(b, a.length)
  return out
}

function joinedFloats(a: Float64Array | Int32Array, b: Float64Array | Int32Array): Float64Array<ArrayBuffer> {
  const out = new Float64Array(a.length + b.length)
  out.set(a)
  out.set(b, a.length)
  return out
}

async function copy(source: Source, offset: number, size: number, sink: Sink, options: Options): Promise<void> {
  for (let at = 0; at < size; at += COPY_BYTES) {
    options.signal.throwIfAborted()
    const bytes = await source.read(offset + at, Math.min(COPY_BYTES, size - at))
    await sink.write(bytes.length < source.size ? bytes : bytes.slice())
  }
}

import { equalBytes } from '../../bytes/equal.ts'
import type { RiffChunk } from '../../containers/riff/riff.ts'
import { SnrMeter } from '../../metrics/snr.ts'
import type { Options, Outcome, Source, Verdict } from '../../model/codec.ts'
import { isCodecError } from '../../model/error.ts'
import { trailingDataDifference } from '../../model/trailing-data.ts'
import type { Wave } from './header.ts'
import { readSound } from './read-sound.ts'
import { in16BitUnits, readSamples } from './samples.ts'
import { ROUNDING_DB } from './tuning.ts'
import { isEmptyPadding } from './write.ts'

/** Chunks that describe the coding. They may differ; the decoded samples are compared instead. */
const CODING = { riff: new Set(['ds64', 'fact', 'fmt ', 'data']), iff: new Set(['COMM', 'SSND', 'FVER']) }

/**
 * Decodes both files and compares them: equal samples for a lossless outcome, otherwise the noise in the receipt. Other chunks must be
 * equal byte for byte.
 */
export async function verifyWave(original: Source, result: Source, outcome: Outcome, options: Options): Promise<Verdict> {
  const differs = (difference: string): Verdict => ({ equal: false, difference })
  let a: Wave
  let b: Wave
  try {
    a = await readSound(original)
    b = await readSound(result)
  } catch (error) {
    if (isCodecError(error, 'malformed')) return differs(error.message)
    throw error
  }
  if (a.layout.channels !== b.layout.channels || a.layout.hertz !== b.layout.hertz)
    return differs('the number of channels or the sample rate changed')
  if (!(await sameRate(original, a, result, b))) return differs('the sample rate changed')
  if (a.frames !== b.frames) return differs(`${a.frames} frames became ${b.frames}`)
  const chunksDiffer =
    (await compareChunks(original, result, a, b)) ?? (await trailingDataDifference(original, a.tail.offset, result, b.tail.offset))
  if (chunksDiffer) return differs(chunksDiffer)
  const exact = outcome.kind === 'compressed' && !outcome.loss
  const meter = new SnrMeter()
  const left = blocks(original, a, options)
  const right = blocks(result, b, options)
  let frame = 0
  let one = await left.next()
  let two = await right.next()
  let oneAt = 0
  let twoAt = 0
  while (!one.done && !two.done) {
    const count = Math.min(one.value.length - oneAt, two.value.length - twoAt)
    const x = one.value.subarray(oneAt, oneAt + count)
    const y = two.value.subarray(twoAt, twoAt + count)
    if (exact) {
      for (let i = 0; i < count; i++) if (!Object.is(x[i], y[i])) return differs(`sample ${frame + i} differs`)
    } else meter.add(x, y)
    frame += count
    oneAt += count
    twoAt += count
    if (oneAt === one.value.length) {
      one = await left.next()
      oneAt = 0
    }
    if (twoAt === two.value.length) {
      two = await right.next()
      twoAt = 0
    }
  }
  if (!one.done || !two.done) return differs('the samples end early')
  if (outcome.kind !== 'compressed' || !outcome.loss) return { equal: true }
  const { sound } = outcome.loss
  if (!sound) return differs('the receipt has a loss without a signal-to-noise ratio')
  return meter.decibels >= sound.snrDb - ROUNDING_DB ? { equal: true } : differs(`${meter.decibels} dB instead of ${sound.snrDb}`)
}

/** Compares the sample rates of AIFF files, which may have a fraction: bytes 8 to 18 of COMM. */
async function sameRate(original: Source, a: Wave, result: Source, b: Wave): Promise<boolean> {
  const rateOf = (source: Source, { chunks }: Wave) => source.read((chunks.find(({ id }) => id === 'COMM')?.offset ?? 0) + 8, 10)
  return !a.layout.iff || equalBytes(await rateOf(original, a), await rateOf(result, b))
}

/** Yields samples in 16-bit units, which represent every coding exactly. */
async function* blocks(source: Source, wave: Wave, options: Options): AsyncGenerator<Float64Array | Int32Array> {
  for await (const samples of readSamples(source, wave, options)) yield in16BitUnits(samples)
}

async function contentOf(source: Source, { chunks, layout }: Wave): Promise<RiffChunk[]> {
  const content: RiffChunk[] = []
  for (const chunk of chunks)
    if (!CODING[layout.iff ? 'iff' : 'riff'].has(chunk.id) && !(await isEmptyPadding(source, chunk))) content.push(chunk)
  return content
}

async function compareChunks(original: Source, result: Source, a: Wave, b: Wave): Promise<string | undefined> {
  const [left, right] = [await contentOf(original, a), await contentOf(result, b)]
  if (left.length !== right.length) return `${left.length} chunks became ${right.length}`
  for (let i = 0; i < left.length; i++) {
    const [x, y] = [left[i]!, right[i]!]
    if (x.id !== y.id || x.size !== y.size) return `chunk '${x.id}' has another type or size`
    for (let at = 0; at < x.size; at += 1 << 20) {
      const [p, q] = await Promise.all([
        original.read(x.offset + at, Math.min(1 << 20, x.size - at)),
        result.read(y.offset + at, Math.min(1 << 20, x.size - at)),
      ])
      if (p.length !== q.length || p.some((byte, k) => byte !== q[k])) return `chunk '${x.id}'`
    }
  }
  return undefined
}

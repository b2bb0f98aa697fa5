import { createHash } from 'node:crypto'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chooseSearchDepth } from '../../../src/core/bytes/zstd.ts'
import type { OutputId } from '../../../src/core/catalog/outputs.ts'
import { compressWrapped, verifyWrapped } from '../../../src/core/containers/wrapper/wrapper.ts'
import { text } from '../../../src/core/formats/text/text.ts'
import type { Options, Source } from '../../../src/core/model/codec.ts'
import { memorySink } from '../../../src/core/model/sink.ts'
import { memorySource, rangeStream, readAll } from '../../../src/core/model/source.ts'
import { openJob, optionsOf } from '../../../src/core/pipeline/job.ts'
import { withFidelity } from '../../support/fidelity.ts'
import { IS_THOROUGH, roundsOf } from '../../support/thorough.ts'

const DECODE = { zst: zstdDecompressSync, br: brotliDecompressSync, gz: gunzipSync } as const
const OUTPUTS = ['zst', 'br', 'gz'] as const

function optionsFor(output: OutputId, over: Partial<Options> = {}): Options {
  return optionsOf(text.format, {}, { output, ...over })
}

const pack = (source: Source, options: Options) =>
  openJob(text, source, {}, options).whole(async () => memorySink(source.size, source.name))

const bytesOf = (line: string) => new TextEncoder().encode(line)
const csv = bytesOf(
  `id,name,value\n${Array.from({ length: 3000 }, (_, i) => `${i},row ${i % 17},${Math.imul(i, 40503) & 0xffff}`).join('\n')}`,
)

test('uses the shallow zstd search where a deep search saves nothing', async () => {
  let state = 1
  const number = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0)
  const numbers = bytesOf(Array.from({ length: 24_000 }, (_, i) => `${1600000000 + i},${number() / 1e6},${number() % 1000}`).join('\n'))
  const markup = bytesOf(Array.from({ length: 20_000 }, () => `<city name="n${number() % 500}" of="c${number() % 90}"/>`).join('\n'))
  expect(await chooseSearchDepth(memorySource(numbers, 'a.csv'))).toBe('shallow')
  expect(await chooseSearchDepth(memorySource(markup, 'a.xml'))).toBe('as deep as its level')
  // Mostly numbers, but the start and the end of the file are not.
  const words = Array.from({ length: 300 }, () => `<${'abcdefgh'.repeat(9).slice(0, (number() % 40) + 9)} id="${number() % 9}">`)
  const tags = bytesOf(Array.from({ length: 9000 }, () => words[number() % 300]).join(''))
  const drawing = Buffer.concat([tags.subarray(0, 150_000), numbers, tags.subarray(-150_000)])
  expect(await chooseSearchDepth(memorySource(drawing, 'a.dxf'))).toBe('as deep as its level')
  const { result } = await pack(memorySource(numbers, 'a.csv'), optionsFor('zst'))
  expect(Buffer.compare(zstdDecompressSync(await readAll(result!)), numbers)).toBe(0)
})

describe.each(OUTPUTS)('%s', (output) => {
  test('decodes with other decoders to the same bytes, for any text encoding', async () => {
    const utf16 = new Uint8Array(csv.length * 2).map((_, i) => (i % 2 ? 0 : csv[i >> 1]!))
    const latin1 = csv.map((v, i) => (i % 50 === 0 ? 0xe9 : v))
    const withoutEnd = bytesOf(`\ufeff${'räksmörgås \r\n'.repeat(300)}`).subarray(0, -3)
    for (const bytes of [csv, utf16, latin1, withoutEnd]) {
      const { outcome, result } = await pack(memorySource(bytes, 'table.csv'), optionsFor(output))
      expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
      expect(Buffer.compare(DECODE[output](await readAll(result!)), bytes)).toBe(0)
    }
  })

  test('leaves the upload unchanged if nothing is saved', async () => {
    const noise = createHash('shake256', { outputLength: 5000 }).update('noise').digest()
    for (const bytes of [noise, bytesOf('x'), bytesOf('short text')]) {
      expect((await pack(memorySource(bytes, 'a.txt'), optionsFor(output))).outcome).toEqual({ kind: 'unchanged', reason: 'no_gain' })
    }
  })

  test('restores any bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 3000 }), fc.integer({ min: 2, max: 40 }), async (seed, times) => {
        const bytes = new Uint8Array(seed.length * times).map((_, i) => seed[i % seed.length]!)
        const { outcome, result } = await pack(memorySource(bytes, 'x.txt'), optionsFor(output))
        if (outcome.kind === 'unchanged') expect(outcome.reason).toBe('no_gain')
        else expect(Buffer.compare(DECODE[output](await readAll(result!)), bytes)).toBe(0)
      }),
      { numRuns: roundsOf(40) },
    )
  })

  test('compresses several megabytes in uneven chunks', async () => {
    const bytes = new Uint8Array(IS_THOROUGH ? 5_300_000 : 2_100_000).map((_, i) => csv[(i + (i >> 15) * 7) % csv.length]!)
    const read = async (offset: number, length: number) => bytes.subarray(offset, offset + length)
    const source = { name: 'big.csv', size: bytes.length, read, stream: () => rangeStream(bytes.length, read, 77_777) }
    const shares: number[] = []
    const { result } = await pack(source, optionsFor(output, { progress: (share) => shares.push(share) }))
    expect(Buffer.compare(DECODE[output](await readAll(result!)), bytes)).toBe(0)
    expect(shares.at(-1)).toBeCloseTo(1)
    expect(shares.every((share, i) => i === 0 || share >= shares[i - 1]!)).toBe(true)
  })

  test('rejects a damaged, a longer and a foreign result', async () => {
    const options = optionsFor(output)
    const sink = memorySink(csv.length, 'a.csv')
    await compressWrapped(memorySource(csv, 'a.csv'), sink, options)
    const stored = sink.bytes()
    const verdict = (result: Uint8Array, original = csv) =>
      verifyWrapped(memorySource(original, 'a.csv'), memorySource(result, 'a.csv'), options)
    expect(await verdict(stored)).toEqual({ equal: true })
    expect(await verdict(stored.subarray(0, stored.length - 9))).toMatchObject({ equal: false })
    expect(await verdict(stored, csv.subarray(1))).toMatchObject({ equal: false })
    expect(await verdict(stored, csv.subarray(0, -1))).toMatchObject({ equal: false })
    const bent = csv.slice()
    bent[20_000]! ^= 1
    expect(await verdict(stored, bent)).toMatchObject({ equal: false, difference: 'byte 20000 differs' })
    await fc.assert(
      fc.asyncProperty(fc.nat(stored.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const damaged = stored.slice()
        damaged[at]! ^= flip
        const found = await verdict(damaged)
        // Header fields without effect on the content (gzip: time, flags, system) may change.
        if (found.equal) expect(Buffer.compare(DECODE[output](damaged), csv)).toBe(0)
      }),
      { numRuns: roundsOf(40) },
    )
  })

  test('stops when the job is aborted', async () => {
    const abort = new AbortController()
    const bytes = new Uint8Array(3_000_000).map((_, i) => csv[i % csv.length]!)
    const options = optionsFor(output, { signal: abort.signal, progress: () => abort.abort() })
    await expect(pack(memorySource(bytes, 'a.csv'), options)).rejects.toThrow(/abort/i)
  })
})

test('refuses an output format that is not a wrapper', async () => {
  expect((await pack(memorySource(csv, 'a.csv'), optionsFor('webp'))).outcome).toMatchObject({ reason: 'unsupported_feature' })
})

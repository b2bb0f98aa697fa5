/** JPEG in TIFF: decoded pixels are unchanged, whatever the order in which a reader decodes the strips. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { concat } from '../../../../src/core/bytes/concat.ts'
import { tiff } from '../../../../src/core/formats/tiff/tiff.ts'
import { memorySource } from '../../../../src/core/model/source.ts'
import { JpegJob, JpegRows } from '../../../../wasm/jpeg/jpeg.ts'
import { withFidelity } from '../../../support/fidelity.ts'
import { inEnglish } from '../../../support/in-english.ts'
import { pressFile } from '../../../support/press-file.ts'
import { buildTiff, type Picture, type ReadDirectory, readDirectories, readPicture } from './build-tiff.ts'

// Created by libtiff (tiffcp -c jpeg), which stores Huffman tables in the shared field.
const fixture = (name: string) => new Uint8Array(readFileSync(join(import.meta.dirname, '../../../fixtures/tiff', `${name}.tif`)))

const DHT = 0xc4
const DQT = 0xdb

/** Marker segments before the first scan. */
function segments(bytes: Uint8Array): { marker: number; bytes: Uint8Array }[] {
  const found = []
  for (let at = 2; at + 4 <= bytes.length && bytes[at + 1] !== 0xd9 && bytes[at + 1] !== 0xda; ) {
    const end = at + 2 + bytes[at + 2]! * 256 + bytes[at + 3]!
    found.push({ marker: bytes[at + 1]!, bytes: bytes.subarray(at, end) })
    at = end
  }
  return found
}

const markers = (bytes: Uint8Array) => new Set(segments(bytes).map(({ marker }) => marker))

function chunksOf(file: Uint8Array, directory: ReadDirectory): Uint8Array[] {
  const lengths = directory.numbers(directory.fields.has(325) ? 325 : 279)
  return directory.numbers(directory.fields.has(324) ? 324 : 273).map((at, i) => file.subarray(at, at + lengths[i]!))
}

/** Decodes like libtiff: tables that a strip defines stay valid for strips that are read later. */
async function digests(file: Uint8Array, order: 'forwards' | 'backwards'): Promise<string[]> {
  const [directory] = readDirectories(file)
  const defined = segments(directory!.fields.get(347)!.values).map(({ bytes }) => bytes)
  const chunks = [...chunksOf(file, directory!).entries()]
  const found: string[] = []
  for (const [index, chunk] of order === 'forwards' ? chunks : chunks.reverse()) {
    using job = await JpegJob.read(concat([Uint8Array.of(0xff, 0xd8), ...defined, chunk.subarray(2)]), { kind: 'hash' })
    found[index] = job.digest()
    for (const { marker, bytes } of segments(chunk)) if (marker === DHT || marker === DQT) defined.push(bytes)
  }
  return found
}

async function pressed(file: Uint8Array) {
  const made = await pressFile(tiff, file, 'a.tif')
  expect(withFidelity(made.outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
  return made
}

test.each(['jpeg-strips', 'jpeg-tiles'])('keeps the coefficients of %s in fewer bytes, decoded forwards and backwards', async (name) => {
  const file = fixture(name)
  const { bytes, outcome } = await pressed(file)
  expect(inEnglish(outcome)).toMatchObject({ steps: ['JPEG Huffman tables optimised, DCT coefficients kept'] })
  expect(bytes.length).toBeLessThan(file.length * 0.96)
  const shared = readDirectories(bytes)[0]!.fields.get(347)!.values
  expect([markers(shared).has(DQT), markers(shared).has(DHT)]).toEqual([true, false])
  const before = await digests(file, 'forwards')
  expect(await digests(bytes, 'forwards')).toEqual(before)
  expect(await digests(bytes, 'backwards')).toEqual(before)
})

test('converts a nearly empty JPEG page to Deflate with the decoded samples', async () => {
  const file = fixture('jpeg-of-a-blank-page')
  const [before] = readDirectories(file)
  const tables = before!.fields.get(347)!.values
  const shown: Uint8Array[] = []
  for (const chunk of chunksOf(file, before!)) {
    const rows = await JpegRows.open(concat([tables.subarray(0, -2), chunk.subarray(2)]), { colour: 'rgb' })
    for await (const strip of rows.strips(16)) shown.push(strip.slice())
  }
  const { bytes } = await pressed(file)
  expect(bytes.length).toBeLessThan(file.length / 4)
  const [after] = readDirectories(bytes)
  expect([after!.number(259), after!.fields.has(347)]).toEqual([8, false])
  const like: Picture = { width: 256, height: 192, bits: 8, samples: 3 }
  expect(Buffer.compare(readPicture(bytes, after!, like), concat(shown))).toBe(0)
})

test('copies strips with their own tables, because their meaning depends on the reading order', async () => {
  const file = fixture('jpeg-tiles')
  const [directory] = readDirectories(file)
  const { bytes } = await pressed(file)
  const optimised = chunksOf(bytes, readDirectories(bytes)[0]!)
  const fits = chunksOf(file, directory!).findIndex((chunk, i) => optimised[i]!.length <= chunk.length)
  const mixed = file.slice()
  mixed.set(optimised[fits]!, directory!.numbers(324)[fits])
  expect((await pressFile(tiff, mixed, 'a.tif')).outcome).toMatchObject({ kind: 'unchanged', reason: 'no_gain' })
})

test('copies strips of another size than in the directory without decoding them', async () => {
  const file = fixture('jpeg-strips')
  const [directory] = readDirectories(file)
  const at = directory!.numbers(273)[0]!
  const frame = at + [...segments(file.subarray(at))].reduce((sum, { marker, bytes }) => (marker < 0xc2 ? sum : sum + bytes.length), 2)
  expect([file[frame], file[frame + 1]]).toEqual([0xff, 0xc0])
  const huge = file.slice()
  huge.set([0xff, 0xf0, 0xff, 0xf0], frame + 5)
  expect((await pressFile(tiff, huge, 'a.tif')).outcome).toMatchObject({ kind: 'unchanged', reason: 'no_gain' })
})

test.each(['jpeg-strips', 'jpeg-of-a-blank-page'])('copies %s with a damaged strip', async (name) => {
  const file = fixture(name)
  const [directory] = readDirectories(file)
  const at = directory!.numbers(273).at(-1)!
  const damaged = file.slice()
  damaged.fill(0xff, at + 30, at + 60)
  expect((await pressFile(tiff, damaged, 'a.tif')).outcome).toMatchObject({ kind: 'unchanged', reason: 'no_gain' })
})

test('detects a strip with changed coefficients', async () => {
  const file = fixture('jpeg-strips')
  const { bytes, outcome } = await pressed(file)
  const settings = {
    quality: 'medium',
    output: 'tiff',
    memoryBudget: 96 << 20,
    signal: new AbortController().signal,
    progress: () => undefined,
  }
  const verdict = (result: Uint8Array) =>
    tiff.verify(memorySource(file, 'a.tif'), memorySource(result, 'a.tif'), outcome as never, settings as never)
  expect(await verdict(bytes)).toEqual({ equal: true })
  const [directory] = readDirectories(bytes)
  // First AC step of the shared quantisation tables.
  const place = Buffer.from(bytes).indexOf(directory!.fields.get(347)!.values)
  const changed = bytes.slice()
  changed[place + 8]! += 1
  expect(await verdict(changed)).toEqual({ equal: false, difference: 'strip or tile 0 differs' })
})

/** Nearly flat CMYK with a mark, as one strip. `adobe`: with the Adobe segment that defines the components. */
async function separated(adobe: boolean): Promise<{ file: Uint8Array; inks: Uint8Array }> {
  const [width, height] = [256, 192]
  const taking = JpegJob.fromRows({ width, height, pixels: 'cmyk', subsampled: false }, { kind: 'stream', quality: 90 })
  taking.write(Uint8Array.from({ length: width * height * 4 }, (_, i) => (i > 90_000 && i < 90_020 ? 10 : [20, 200, 120, 0][i % 4]!)))
  using job = taking.end()
  const pixels = concat(job.write('made', 'sequential', adobe))
  const rows = await JpegRows.open(pixels)
  const shown: Uint8Array[] = []
  for await (const strip of rows.strips(16)) shown.push(strip.slice())
  return { file: buildTiff([{ width, height, bits: 8, samples: 4, compression: 7, pixels }]), inks: concat(shown) }
}

test('converts nearly flat CMYK JPEG to Deflate with the decoded samples', async () => {
  const { file, inks } = await separated(false)
  const { bytes } = await pressed(file)
  const [after] = readDirectories(bytes)
  expect([after!.number(259), bytes.length < file.length]).toEqual([8, true])
  expect(Buffer.compare(readPicture(bytes, after!, { width: 256, height: 192, bits: 8, samples: 4 }), inks)).toBe(0)
})

test('keeps CMYK JPEG with an Adobe segment as JPEG, because readers disagree about it', async () => {
  const { file } = await separated(true)
  const { bytes } = await pressFile(tiff, file, 'a.tif')
  expect(readDirectories(bytes)[0]!.number(259)).toBe(7)
})

/** Tests with a stopped clock: in a Worker, time does not advance during computation. Jobs must still yield to others and finish. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { analyse } from '../../../src/core/formats/film/analyse.ts'
import { mov, partsOf, runPart } from '../../../src/core/formats/film/film.ts'
import { hdf5 } from '../../../src/core/formats/hdf5/hdf5.ts'
import { kmz } from '../../../src/core/formats/kmz/kmz.ts'
import { mp3 } from '../../../src/core/formats/mp3/mp3.ts'
import { svg } from '../../../src/core/formats/svg/svg.ts'
import { tiff } from '../../../src/core/formats/tiff/tiff.ts'
import type { Codec } from '../../../src/core/model/codec.ts'
import { memorySink } from '../../../src/core/model/sink.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { looseMp3 } from '../../support/mp3-file.ts'
import { zipOf } from '../../support/packages.ts'
import { pressFile } from '../../support/press-file.ts'
import { hdf5File } from '../../support/science-files.ts'
import { optionsFor, rawMovie } from './media-fixtures.ts'
import { buildTiff } from './tiff/build-tiff.ts'

beforeEach(() => {
  const now = Date.now()
  vi.spyOn(performance, 'now').mockReturnValue(1)
  vi.spyOn(Date, 'now').mockReturnValue(now)
})
afterEach(() => void vi.restoreAllMocks())

/** Counts how often a timer that is always due ran during `work`. In-memory sources never yield. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let [turns, over] = [0, false]
  const turn = () => {
    turns++
    if (!over) setTimeout(turn, 0)
  }
  setTimeout(turn, 0)
  await work()
  over = true
  return turns
}

const [FRAMES, WIDTH, HEIGHT] = [60, 320, 240]

it('film: yields to other jobs every million pixels', async () => {
  const source = memorySource(rawMovie(FRAMES, WIDTH, HEIGHT), 'film.mov')
  const options = optionsFor('medium', 'mov')
  const analysis = await analyse(source, options)
  const [plan] = partsOf(analysis)
  const turns = await turnsDuring(() => runPart(source, analysis, plan!, memorySink(Number.POSITIVE_INFINITY, 'part'), options))
  expect(turns).toBeGreaterThanOrEqual(Math.floor((FRAMES * WIDTH * HEIGHT) / 1e6))
})

it('HDF5: yields to other jobs after every large chunk', async () => {
  const file = hdf5File(1_000_000, 2)
  const turns = await turnsDuring(() => pressFile(hdf5, file, 'a.h5'))
  // Four chunks of about 1 MB. Nothing waits at the end.
  expect(turns).toBeGreaterThanOrEqual(3)
})

it('MP3: yields to other jobs every 128 frames that are decoded, encoded and compared', async () => {
  const file = looseMp3(3 * 128 * 1152 + 50_000)
  // At `low`: planning, damage check, encoding, and decoding of both files. At `high`: no encoding, and all bits are compared.
  expect(await turnsDuring(() => pressFile(mp3, file, 'a.mp3', { quality: 'low' }))).toBeGreaterThanOrEqual(5 * 3)
  expect(await turnsDuring(() => pressFile(mp3, file, 'a.mp3', { quality: 'high' }))).toBeGreaterThanOrEqual(6 * 3)
})

it('TIFF: yields to other jobs every 60 strips, however short', async () => {
  const file = buildTiff([{ width: 16, height: 900, bits: 8, samples: 1, rowsPerStrip: 1 }])
  // Strips are sampled, compressed and compared.
  expect(await turnsDuring(() => pressFile(tiff, file, 'a.tif'))).toBeGreaterThanOrEqual(2 * 14)
})

describe('package: yields to other jobs', () => {
  const kml = new TextEncoder().encode('<kml xmlns="http://www.opengis.net/kml/2.2"><Document/></kml>')

  it('every 300,000 bytes of a file in it', async () => {
    const file = await zipOf({ 'doc.kml': kml, 'long.xml': new Uint8Array(1_000_000) })
    expect(await turnsDuring(() => pressFile(kmz, file, 'a.kmz'))).toBeGreaterThanOrEqual(4)
  })

  it('every 64 files in it, however short', async () => {
    const notes = Object.fromEntries(Array.from({ length: 256 }, (_, i) => [`${i}.txt`, new Uint8Array(2048)]))
    const file = await zipOf({ 'doc.kml': kml, ...notes })
    expect(await turnsDuring(() => pressFile(kmz, file, 'a.kmz'))).toBeGreaterThanOrEqual(4)
  })
})

it('SVG: yields to other jobs between svgo passes and before each rendering', async () => {
  const path = `<path d="${'M1.2345 2.3456h1.111v1.222z'.repeat(40)}"/>`
  const drawing = new TextEncoder().encode(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">${path}</svg>`)
  expect(await turnsDuring(() => pressFile(svg, drawing, 'a.svg'))).toBeGreaterThanOrEqual(12)
})

it('stops a job that was cancelled while it yielded', async () => {
  const controller = new AbortController()
  const cancelled = async (codec: Codec, file: Uint8Array) => {
    setTimeout(() => controller.abort(new Error('nobody waits any more')), 0)
    await pressFile(codec, file, 'a', { signal: controller.signal })
  }
  await expect(cancelled(mov, rawMovie(FRAMES, WIDTH, HEIGHT))).rejects.toThrow('nobody waits any more')
})

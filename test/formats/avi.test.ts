import { describe, expect, it } from 'vitest'
import type { FinishedPart } from '../../src/codec/segmented.ts'
import { memorySink } from '../../src/codec/sink.ts'
import { memorySource } from '../../src/codec/source.ts'
import { readMovie } from '../../src/containers/isobmff/movie.ts'
import { readAvi } from '../../src/containers/riff/avi.ts'
import { avi } from '../../src/formats/avi/avi.ts'
import { partsOf, probed, readJob } from '../../src/formats/avi/job.ts'
import { runPart } from '../../src/formats/avi/parts.ts'
import type { OutputId } from '../../src/formats/format.ts'
import { optionsFor, press, rawAvi } from './media-fixtures.ts'

/** Every part by itself, the last one first, then joined and verified. */
async function inParts(file: Uint8Array, output: OutputId, frames: number) {
  const source = memorySource(file, 'film.avi')
  const options = optionsFor('medium', output)
  const job = await probed(source, await readJob(source, options), options)
  const plans = await partsOf(source, job, frames)
  const parts: FinishedPart[] = []
  for (const plan of plans.toReversed()) {
    const into = memorySink(Number.POSITIVE_INFINITY, 'part')
    const receipt = await runPart(source, job, JSON.parse(JSON.stringify(plan)), into, options)
    parts.unshift({ plan, receipt, result: await into.finish() })
  }
  const sink = memorySink(file.length, 'out')
  const outcome = await avi.join(source, parts, sink, options)
  const result = await sink.finish()
  expect(await avi.verify(source, result, outcome, options)).toEqual({ equal: true })
  return { outcome, result, plans }
}

describe('AVI in parts', () => {
  it('keeps every frame in its place and makes MP3 of uncompressed sound, a frame a chunk', async () => {
    const { outcome, result, plans } = await inParts(rawAvi(60, 64, 48, 8000), 'avi', 20)
    expect(plans.map(({ facts }) => facts['kind'])).toEqual(['pictures', 'pictures', 'pictures', 'pictures', 'sound'])
    expect(outcome).toMatchObject({ kind: 'compressed', fidelity: 'perceptual' })
    const { chunks, streams } = await readAvi(result)
    expect(chunks.of(0).length).toBe(60)
    expect([...chunks.of(0)].filter((chunk) => chunks.key[chunk]).length).toBeGreaterThanOrEqual(3)
    // 2.4 s in frames of 576 samples.
    expect(Math.abs((chunks.of(1).length * 576) / 8000 - 2.4)).toBeLessThan(0.2)
    expect([streams[1]?.strf[0], streams[1]?.scale, streams[1]?.rate]).toEqual([0x55, 576, 8000])
  })

  it('becomes MP4', async () => {
    const { result, plans } = await inParts(rawAvi(45, 64, 48, 8000), 'mp4', 15)
    expect(plans.length).toBe(5)
    const { tracks } = await readMovie(result)
    expect([tracks[0]?.sampleCount, tracks[0]?.samples().dts.at(-1)]).toEqual([45, 45])
  })

  it('recompresses sound alone where the pictures must stay', async () => {
    const file = rawAvi(20, 64, 48, 8000)
    // Pictures of a kind nobody knows.
    for (let at = 0; at < 300; at++)
      if (String.fromCharCode(...file.subarray(at, at + 4)) === 'UYVY') file.set([0x3f, 0x3f, 0x3f, 0x3f], at)
    const { outcome, bytes } = await press(avi, file, 'medium', 'avi')
    expect(outcome).toMatchObject({ kind: 'compressed', ssim: 1, psnrDb: 99 })
    expect(bytes.length).toBeLessThan(file.length)
  })
})

/** Films that only the machine's FFmpeg can encode. Skipped if FFmpeg is not installed. */

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkFiles } from '../../../../src/core/audit/check.ts'
import type { OutputId } from '../../../../src/core/catalog/outputs.ts'
import { readMovie } from '../../../../src/core/containers/isobmff/movie.ts'
import { visualExtensions } from '../../../../src/core/containers/isobmff/write.ts'
import { mov, mp4 } from '../../../../src/core/formats/film/film.ts'
import { staticHdr } from '../../../../src/core/formats/film/native/hdr.ts'
import type { Options, Quality } from '../../../../src/core/model/codec.ts'
import { unsupported } from '../../../../src/core/model/error.ts'
import type { ExternalFilmCodec } from '../../../../src/core/model/external-encoder.ts'
import { memorySink } from '../../../../src/core/model/sink.ts'
import { memorySource, readAll } from '../../../../src/core/model/source.ts'
import { openJob } from '../../../../src/core/pipeline/job.ts'
import { FfmpegRun, findFfmpegSync } from '../../../../src/local/native.ts'
import { STALLED } from '../../../../src/local/native-files.ts'
import { PressFfmpeg } from '../../../../src/local/press/native.ts'
import { optionsFor } from '../../../core/formats/media-fixtures.ts'
import { inEnglish } from '../../../support/in-english.ts'
import { CODECS } from '../../../support/receipts.ts'

const program = findFfmpegSync(undefined)
const LIMITS = { memoryBytes: 2 ** 30, processorMs: 60_000, stalledMs: 60_000 }
let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'whittle-native-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A film of moving shapes, 320 × 180 pixels, 24 frames. */
function film(name: string, ...coding: string[]): Uint8Array {
  const path = join(folder, name)
  const made = spawnSync(program!.path, [
    '-loglevel',
    'error',
    '-y',
    '-f',
    'lavfi',
    '-i',
    'testsrc2=s=320x180:r=24',
    '-t',
    '1',
    ...coding,
    path,
  ])
  if (made.status !== 0) throw new Error(made.stderr.toString())
  return new Uint8Array(readFileSync(path))
}

const HLG = 'colorprim=bt2020:transfer=arib-std-b67:colormatrix=bt2020nc'
const DISPLAY = [13250, 34500, 7500, 3000, 34000, 16000, 15635, 16450, 10_000_000, 50]
const hdrFilm = (hdr = HLG) =>
  film(
    'hdr.mov',
    '-pix_fmt',
    'yuv420p10le',
    '-c:v',
    'libx265',
    '-tag:v',
    'hvc1',
    '-crf',
    '6',
    '-preset',
    'ultrafast',
    '-x265-params',
    `log-level=error:${hdr}`,
  )

const native = (limits = LIMITS): ExternalFilmCodec =>
  new PressFfmpeg(program!.name, folder, (request) => new FfmpegRun(program!, request, folder, limits).ended)

async function pressed(codec: typeof mov, bytes: Uint8Array, output: OutputId, more: Partial<Options> = {}, quality: Quality = 'medium') {
  const source = memorySource(bytes, 'film')
  const options = { ...optionsFor(quality, output), memoryBudget: 2 ** 30, ...more }
  const done = await openJob(codec, source, {}, options).whole(async () => memorySink(bytes.length, 'film'))
  return { ...done, bytes: done.result ? await readAll(done.result) : bytes }
}

describe.skipIf(!program)("films encoded by the machine's FFmpeg", () => {
  it('keeps HDR of ten bits, measures it in ten bits and verifies it', async () => {
    const file = hdrFilm()
    const { outcome, bytes, verifiedShare } = { verifiedShare: undefined, ...(await pressed(mov, file, 'mov', { native: native() })) }
    expect(outcome).toMatchObject({ kind: 'compressed', loss: { pictures: { measuredAt: 'second' } } })
    expect(verifiedShare).toBe(1)
    expect(bytes.length).toBeLessThan(file.length * 0.8)
    const { tracks, moov } = await readMovie(memorySource(bytes, 'out'))
    const [entry] = tracks[0]!.descriptions
    expect(entry?.type).toBe('hvc1')
    const [record] = visualExtensions(moov, entry!).filter(({ type }) => type === 'hvcC')
    expect(moov[record!.body + 17]! & 7).toBe(2)
    const said = spawnSync(program!.path, ['-hide_banner', '-i', 'pipe:0'], { input: bytes }).stderr.toString()
    expect(said).toMatch(/yuv420p10le\(tv, bt2020nc\/bt2020\/arib-std-b67/)
  })

  it('keeps mastering display and light level metadata', async () => {
    const display = `master-display=G(${DISPLAY.slice(0, 2)})B(${DISPLAY.slice(2, 4)})R(${DISPLAY.slice(4, 6)})WP(${DISPLAY.slice(6, 8)})L(${DISPLAY.slice(8)})`
    const file = hdrFilm(`colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:${display}:max-cll=1000,400`)
    const { bytes } = await pressed(mov, file, 'mov', { native: native() })
    expect(bytes.length).toBeLessThan(file.length)
    const { tracks, moov } = await readMovie(memorySource(bytes, 'out'))
    const { start, end } = tracks[0]!.descriptions[0]!
    const { offset, size } = tracks[0]!.samples()
    const first = bytes.subarray(offset[0]!, offset[0]! + size[0]!)
    expect(staticHdr(moov.subarray(start, end), first)).toEqual({ masteringDisplay: DISPLAY, lightLevel: [1000, 400] })
  })

  it('merges a short rest at the end into the second before it, as the receipt does', async () => {
    const grain = ['-vf', "noise=alls=40:allf=t:enable='lt(t,1)'", '-t', '1.25', '-pix_fmt', 'yuv420p10le']
    const bytes = film('rest.mov', ...grain, '-c:v', 'libx265', '-tag:v', 'hvc1', '-crf', '6', '-preset', 'ultrafast')
    const { outcome, defect } = { defect: undefined, ...(await pressed(mov, bytes, 'mov', { native: native() })) }
    expect([outcome.kind, defect]).toEqual(['compressed', undefined])
  })

  it('keeps square pixels if the film does not state their shape', async () => {
    const coding = ['-vf', 'setsar=0', '-pix_fmt', 'yuv420p10le', '-c:v', 'libx265', '-tag:v', 'hvc1', '-crf', '6', '-preset', 'ultrafast']
    const { bytes, outcome } = await pressed(mov, film('plain.mov', ...coding, '-x265-params', `log-level=error:${HLG}`), 'mov', {
      native: native(),
    })
    expect(outcome.kind).toBe('compressed')
    const said = spawnSync(program!.path, ['-hide_banner', '-i', 'pipe:0'], { input: bytes }).stderr.toString()
    expect(/SAR (\d+:\d+)/.exec(said)?.[1] ?? '1:1').toBe('1:1')
  })

  it('copies the pictures without FFmpeg and reports the reason', async () => {
    const { outcome } = await pressed(mov, hdrFilm(), 'mov')
    expect(inEnglish(outcome)).toMatchObject({
      kind: 'unchanged',
      reason: 'unsupported_feature',
      detail: 'HDR video (PQ or HLG) is kept unchanged, because a re-encoding could change its brightness',
    })
  })

  it('reports over_budget if memory is too small', async () => {
    const little = { ...LIMITS, memoryBytes: 2 ** 26 }
    const { outcome } = await pressed(mov, hdrFilm(), 'mov', { native: native(little) })
    expect(inEnglish(outcome)).toMatchObject({
      kind: 'unchanged',
      reason: 'over_budget',
      detail: expect.stringContaining('ran out of memory'),
    })
  })

  it('uses fewer lookahead frames for large pictures', async () => {
    const coding = ['-frames:v', '2', '-pix_fmt', 'yuv420p10le', '-c:v', 'libx265', '-tag:v', 'hvc1', '-crf', '6', '-preset', 'ultrafast']
    const held: number[] = []
    const program: ExternalFilmCodec = {
      name: 'a program',
      encode: async (_, { lookahead }) => {
        held.push(lookahead)
        throw unsupported('film_without_duration')
      },
      measure: async () => ({ mse: [], luma: () => new Uint8Array() }),
    }
    const sizes = ['320:180', '3840:2160'].map((size) => ['-vf', `scale=${size}`, ...coding, '-x265-params', `log-level=error:${HLG}`])
    for (const more of sizes) await pressed(mov, film('large.mov', ...more), 'mov', { native: program })
    expect(held).toEqual([20, 10])
  })

  it('encodes AV1 as HEVC if that is smaller', async () => {
    const file = film('av1.mp4', '-c:v', 'libaom-av1', '-cpu-used', '8', '-usage', 'realtime', '-crf', '2')
    const { outcome, bytes } = await pressed(mp4, file, 'mp4', { native: native() }, 'low')
    expect(outcome).toMatchObject({ kind: 'compressed', loss: { pictures: { measuredAt: 'second' } } })
    expect((await readMovie(memorySource(bytes, 'out'))).tracks[0]?.descriptions[0]?.type).toBe('hvc1')
  })

  it('detects a result with wrong pictures', async () => {
    const file = hdrFilm()
    const options = { ...optionsFor('medium', 'mov'), native: native() }
    const { outcome, bytes } = await pressed(mov, file, 'mov', options)
    if (outcome.kind !== 'compressed' || !outcome.loss?.pictures) throw new Error('nothing to lie about')
    const { pictures } = outcome.loss
    const lie = { ...outcome, loss: { pictures: { ...pictures, psnrDb: pictures.psnrDb + 1 } } }
    const verdict = await mov.verify(memorySource(file, 'a'), memorySource(bytes, 'b'), lie, options)
    expect(verdict).toMatchObject({ equal: false, difference: expect.stringMatching(/dB at 0.0 s instead of/) })
  })

  it('verifies with FFmpeg, and without it reports that the result could not be checked', async () => {
    const file = hdrFilm()
    const { bytes } = await pressed(mov, file, 'mov', { native: native() })
    const [original, result] = [memorySource(file, 'a.mov'), memorySource(bytes, 'b.mov')]
    const program = await checkFiles(original, result, 'mov', CODECS, native())
    expect(program).toMatchObject({ fidelity: 'perceptual', findings: [{ field: 'result', verdict: 'true' }] })
    expect(program.measured?.loss?.pictures?.psnrDb).toBeGreaterThan(35)
    const without = await checkFiles(original, result, 'mov', CODECS)
    expect(without.findings).toMatchObject([{ field: 'result', verdict: 'unchecked' }])
  })

  it('copies damaged pictures', async () => {
    const file = hdrFilm()
    const { offset, size } = (await readMovie(memorySource(file, 'a'))).tracks[0]!.samples()
    file.fill(0x55, offset[5]! + 4, offset[5]! + size[5]!)
    const { outcome } = await pressed(mov, file, 'mov', { native: native() })
    expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'malformed' })
  })

  it('accepts only numbers as encoder settings', () => {
    const wanted = { encoder: 'x265', bits: 10, crf: '20:log-file=/tmp/x', mostBetweenKeys: 24, timescale: 24, shown: { from: 0, to: 1 } }
    expect(() => new FfmpegRun(program!, { kind: 'encode', wanted: wanted as never }, folder, LIMITS)).toThrow(/expected a number/)
  })

  it('stops FFmpeg when it has used its CPU time', async () => {
    film('native-original.mp4', '-c:v', 'mpeg4', '-t', '20')
    const wanted = {
      encoder: 'x265',
      bits: 8,
      crf: 10,
      lookahead: 20,
      mostBetweenKeys: 250,
      timescale: 12_288,
      shown: { from: 0, to: 2 ** 40 },
    } as const
    const run = new FfmpegRun(program!, { kind: 'encode', wanted }, folder, { ...LIMITS, processorMs: 900 })
    expect(await run.ended).toBeDefined()
  })
})

it('stops a program that is deadlocked, but not one that works', async () => {
  const path = join(folder, 'program')
  const run = (body: string) => {
    writeFileSync(path, `#!/bin/sh\n${body}`, { mode: 0o700 })
    const request = { kind: 'measure', wanted: { bits: 8, original: { from: 0, to: 1 }, result: { from: 0, to: 1 }, sampled: [] } } as const
    return new FfmpegRun({ path, name: 'a program', commandPrefix: [] }, request, folder, { ...LIMITS, stalledMs: 400 }).ended
  }
  expect(await run('exec sleep 30')).toBe(STALLED)
  expect(await run('i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done')).toBeUndefined()
})

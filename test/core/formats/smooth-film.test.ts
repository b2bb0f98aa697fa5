import { expect, test } from 'vitest'
import { avcConfiguration } from '../../../src/core/formats/film/entries.ts'
import { smoothnessOf } from '../../../src/core/formats/film/gradient-detection.ts'
import { levelOf } from '../../../src/core/formats/film/levels.ts'
import type { EncodedPart } from '../../../src/core/formats/film/part-encoder.ts'
import { PartWriter, type PicturesHead, readParts } from '../../../src/core/formats/film/part-file.ts'
import { finishPart } from '../../../src/core/formats/film/part-loss.ts'
import { encodePart, encodeWithFactor } from '../../../src/core/formats/film/pictures.ts'
import { parameterSetId, x264Settings } from '../../../src/core/formats/film/settings.ts'
import { memorySink } from '../../../src/core/model/sink.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { Ffmpeg } from '../../../wasm/ffmpeg/ffmpeg.ts'
import { FRAMES, film, HEIGHT, noise, WIDTH } from '../../support/plain-film.ts'
import { optionsFor } from './media-fixtures.ts'

/** Measures a part that holds the whole film. */
function jobOf({ bytes, track }: ReturnType<typeof film>) {
  const cut = { from: 0, to: FRAMES, start: 0, end: Number.MAX_SAFE_INTEGER, frames: FRAMES }
  return { source: memorySource(bytes, 'film'), track, cut, options: optionsFor('low', 'mp4') }
}

const texture = (x: number, y: number) => 128 + 60 * Math.sin(x / 2 + (y * y) / 300)
/** A lamp in a dark room, with camera noise. */
const lamp = (x: number, y: number, frame: number) => 20 + 40 * Math.exp(-(((x - 60 - frame / 2) / 90) ** 2) - ((y - 50) / 70) ** 2)
const dusk = (x: number, y: number, frame: number) => Math.round(lamp(x, y, frame) + noise(x, y, frame) / 3)

test('detects a lamp in a dark room as smooth, and as partly smooth if it appears last', async () => {
  expect(await smoothnessOf(jobOf(film(dusk)))).toBe('mostly')
  expect(await smoothnessOf(jobOf(film((x, y, frame) => (frame < 30 ? texture(x, y) : dusk(x, y, frame)))))).toBe('partly')
})

test('detects no smooth gradients in texture, grain, flat colour or undecodable pictures', async () => {
  expect(await smoothnessOf(jobOf(film(texture)))).toBe(undefined)
  expect(await smoothnessOf(jobOf(film((x, y, frame) => lamp(x, y, frame) + 3 * noise(x, y, frame))))).toBe(undefined)
  expect(await smoothnessOf(jobOf(film((x, y) => (x % 40 < 3 && y % 20 < 12 ? 30 : 235))))).toBe(undefined)
  const job = jobOf(film(dusk))
  expect(await smoothnessOf({ ...job, track: { ...job.track, stream: { ...job.track.stream, decoder: 'h264' } } })).toBe(undefined)
})

/** Root mean square difference, in luma levels, between a part's pictures and the lamp without camera noise. */
async function offTheLamp(encode: (part: PartWriter) => Promise<EncodedPart>): Promise<number> {
  const sink = memorySink(Number.POSITIVE_INFINITY, 'part')
  const writer = new PartWriter(sink)
  const encoded = await encode(writer)
  const receipt = await finishPart(writer, encoded)
  const plan = { index: 0, label: '', weight: 1, facts: {} }
  const [file] = await readParts<PicturesHead>([{ plan, receipt, result: memorySource(sink.bytes(), 'part') }])
  using engine = new Ffmpeg()
  const extradata = avcConfiguration([encoded.headers]).slice(8)
  engine.openVideo({ decoder: 'h264', extradata, width: WIDTH, height: HEIGHT, tag: 0, bitsPerSample: 24, reorder: 4 })
  let [frame, squares] = [0, 0]
  const take = () => {
    for (let picture = engine.nextPicture(); picture; picture = engine.nextPicture(), frame++) {
      for (const [i, value] of engine.luma().entries()) squares += (value - lamp(i % WIDTH, Math.floor(i / WIDTH), frame)) ** 2
    }
  }
  let at = 0
  for (const size of file!.sizes) {
    engine.sendVideo(sink.bytes().slice(at, at + size), at, at === 0)
    at += size
    take()
  }
  engine.endVideo()
  take()
  expect(frame).toBe(FRAMES)
  return Math.sqrt(squares / (WIDTH * HEIGHT * FRAMES))
}

/** A picture that is half lamp, half texture: smooth in part at any time. */
const window = (x: number, y: number, frame: number) => (x < 110 ? dusk(x, y, frame) : texture(x, y))

test('keeps bits for texture in a part that is only partly smooth', async () => {
  expect(await smoothnessOf(jobOf(film(window)))).toBe('partly')
  const size = { width: WIDTH, height: HEIGHT }
  const track = { rate: { num: 30, den: 1 }, annexb: false }
  const strength = (smooth: 'partly' | 'mostly') => {
    const { options } = x264Settings(size, 25, track, 'most', { smoothness: smooth })
    return Number(options.findLast(([name]) => name === 'aq-strength')![1])
  }
  expect(strength('partly')).toBeLessThan(strength('mostly'))
  const shades = [undefined, 'partly', 'mostly'] as const
  const ids = shades.flatMap((smooth) => [false, true].map((interlaced) => parameterSetId('usual', { interlaced }, { smoothness: smooth })))
  expect(new Set(ids).size).toBe(ids.length)
})

test('encodes a lamp in a dark room without visible blocks', async () => {
  const job = jobOf(film(dusk))
  const level = levelOf('low')
  const plain = await offTheLamp((part) => encodeWithFactor({ ...job, crf: level.crf, part }, 'most'))
  const mended = await offTheLamp((part) => encodePart({ ...job, part }, level))
  expect(mended).toBeLessThan(plain * 0.9)
})

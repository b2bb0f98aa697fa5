import { expect, test } from 'vitest'
import { concat } from '../../src/bytes/concat.ts'
import { memorySink } from '../../src/codec/sink.ts'
import { memorySource } from '../../src/codec/source.ts'
import { avcConfiguration } from '../../src/formats/film/entries.ts'
import { PartWriter } from '../../src/formats/film/part-file.ts'
import type { PictureTrack } from '../../src/formats/film/picture-track.ts'
import { encodeOnce } from '../../src/formats/film/pictures.ts'
import { settings } from '../../src/formats/film/settings.ts'
import { isStill } from '../../src/formats/film/still.ts'
import { optionsFor } from './media-fixtures.ts'

const [WIDTH, HEIGHT, FRAMES, RATE] = [192, 128, 40, 30]
const BYTES = WIDTH * HEIGHT * 2

/** UYVY without compression; `luma` says what is where. */
function film(luma: (x: number, y: number, frame: number) => number): { bytes: Uint8Array; track: PictureTrack } {
  const frames = Array.from({ length: FRAMES }, (_, frame) => {
    const picture = new Uint8Array(BYTES).fill(128)
    for (let i = 0; i < WIDTH * HEIGHT; i++) picture[i * 2 + 1] = luma(i % WIDTH, Math.floor(i / WIDTH), frame)
    return picture
  })
  const samples = {
    count: FRAMES,
    offset: Float64Array.from({ length: FRAMES }, (_, i) => i * BYTES),
    size: new Uint32Array(FRAMES).fill(BYTES),
    dts: Float64Array.from({ length: FRAMES + 1 }, (_, i) => i),
    composition: new Int32Array(FRAMES),
    sync: new Uint8Array(FRAMES).fill(1),
  }
  const stream = { decoder: 'rawvideo', extradata: new Uint8Array(), width: WIDTH, height: HEIGHT, tag: 0x59565955, bitsPerSample: 16 }
  return {
    bytes: concat(frames),
    track: { stream, timescale: RATE, samples, rate: { num: RATE, den: 1 }, start: 0, counted: false, annexb: false },
  }
}

function still({ bytes, track }: ReturnType<typeof film>, to = FRAMES) {
  const cut = { from: 0, to, start: 0, end: Number.MAX_SAFE_INTEGER, frames: to }
  return isStill({ source: memorySource(bytes, 'film'), track, cut, options: optionsFor('medium', 'mp4') })
}

const texture = (x: number, y: number) => 128 + 60 * Math.sin(x / 7 + (y * y) / 900)
/** Of a camera, a few levels. */
const noise = (x: number, y: number, frame: number) => ((x * 7919 + y * 104_729 + frame * 1_299_709) % 7) - 3

test('a speaker before a wall is still, noise or not', async () => {
  const speaker = film((x, y, frame) => (x > 80 && x < 110 && y > 60 ? texture(x + 5 * frame, y) : texture(x, y) + noise(x, y, frame)))
  expect(await still(speaker)).toBe(true)
})

test('a camera that moves is not, nor a light that changes, nor what is too short to tell, nor what cannot be decoded', async () => {
  expect(await still(film((x, y, frame) => texture(x + 2 * frame, y)))).toBe(false)
  expect(await still(film((x, y, frame) => texture(x, y) / 2 + frame))).toBe(false)
  expect(await still(film(texture), 10)).toBe(false)
  const cut = film(texture)
  expect(await still({ ...cut, track: { ...cut.track, stream: { ...cut.track.stream, decoder: 'h264' } } })).toBe(false)
})

test('where x264 cannot look ahead, the frames that begin a group of still pictures stay as fine and the others get less', () => {
  const rate = { num: RATE, den: 1 }
  const [usual, quiet] = [false, true].map((is) => settings({ width: 1920, height: 1080 }, 25, { rate, annexb: false }, 'most', is))
  const differing = quiet!.options.filter(([name, value]) => !usual!.options.some(([n, v]) => n === name && v === value))
  expect(differing).toEqual([
    ['crf', '31'],
    ['ipratio', '3.0'],
  ])
  // The quantiser of a first frame is the factor's less 6 · log2 of the ratio.
  expect(quiet!.crf - 6 * Math.log2(3)).toBeCloseTo(usual!.crf - 6 * Math.log2(2), 1)
})

test('parts that were given more or less memory name their parameter sets by numbers of their own', async () => {
  const { bytes, track } = film(texture)
  const cut = { from: 0, to: 8, start: 0, end: Number.MAX_SAFE_INTEGER, frames: 8 }
  const part = new PartWriter(memorySink(Number.POSITIVE_INFINITY, 'part'))
  const job = { source: memorySource(bytes, 'film'), track, cut, crf: 25, part, options: optionsFor('medium', 'mp4') }
  const headers = []
  for (const memory of ['most', 'usual', 'least'] as const) headers.push((await encodeOnce(job, memory)).headers)
  expect(avcConfiguration(headers)[13]! & 31).toBe(3) // numOfSequenceParameterSets
})

test('a small film whose decoder holds many frames keeps a shorter look ahead before it goes without', () => {
  const rate = { num: RATE, den: 1 }
  const ahead = (memory: 'most' | 'usual' | 'least') =>
    Number(
      settings({ width: 1280, height: 720 }, 25, { rate, annexb: false }, memory).options.find(([name]) => name === 'rc-lookahead')![1],
    )
  expect([ahead('most'), ahead('usual'), ahead('least')]).toEqual([12, 5, 0])
})

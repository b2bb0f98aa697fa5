import { expect, test } from 'vitest'
import { avcConfiguration } from '../../../src/core/formats/film/entries.ts'
import { PartWriter } from '../../../src/core/formats/film/part-file.ts'
import { encodeWithFactor } from '../../../src/core/formats/film/pictures.ts'
import { x264Settings } from '../../../src/core/formats/film/settings.ts'
import { isStaticScene } from '../../../src/core/formats/film/static-scene.ts'
import { memorySink } from '../../../src/core/model/sink.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { FRAMES, film, noise, RATE } from '../../support/plain-film.ts'
import { optionsFor } from './media-fixtures.ts'

function still({ bytes, track }: ReturnType<typeof film>, to = FRAMES) {
  const cut = { from: 0, to, start: 0, end: Number.MAX_SAFE_INTEGER, frames: to }
  return isStaticScene({ source: memorySource(bytes, 'film'), track, cut, options: optionsFor('medium', 'mp4') })
}

const texture = (x: number, y: number) => 128 + 60 * Math.sin(x / 7 + (y * y) / 900)
test('detects a speaker before a wall as static, with or without noise', async () => {
  const speaker = film((x, y, frame) => (x > 80 && x < 110 && y > 60 ? texture(x + 5 * frame, y) : texture(x, y) + noise(x, y, frame)))
  expect(await still(speaker)).toBe(true)
})

test('does not detect a moving camera, changing light, a short part or undecodable pictures as static', async () => {
  expect(await still(film((x, y, frame) => texture(x + 2 * frame, y)))).toBe(false)
  expect(await still(film((x, y, frame) => texture(x, y) / 2 + frame))).toBe(false)
  expect(await still(film(texture), 10)).toBe(false)
  const cut = film(texture)
  expect(await still({ ...cut, track: { ...cut.track, stream: { ...cut.track.stream, decoder: 'h264' } } })).toBe(false)
})

test('without lookahead, keeps the quality of the first frame of a static group and lowers the others', () => {
  const rate = { num: RATE, den: 1 }
  const [usual, quiet] = [false, true].map((is) =>
    x264Settings({ width: 1920, height: 1080 }, 25, { rate, annexb: false }, 'most', { isStatic: is }),
  )
  const differing = quiet!.options.filter(([name, value]) => !usual!.options.some(([n, v]) => n === name && v === value))
  expect(differing).toEqual([
    ['crf', '31'],
    ['ipratio', '3.0'],
  ])
  // The quantiser of a first frame is the rate factor minus 6 · log2 of the ratio.
  expect(quiet!.crf - 6 * Math.log2(3)).toBeCloseTo(usual!.crf - 6 * Math.log2(2), 1)
})

test('gives parts with other memory profiles or smooth gradients their own parameter set ids', async () => {
  const { bytes, track } = film(texture)
  const cut = { from: 0, to: 8, start: 0, end: Number.MAX_SAFE_INTEGER, frames: 8 }
  const part = new PartWriter(memorySink(Number.POSITIVE_INFINITY, 'part'))
  const job = { source: memorySource(bytes, 'film'), track, cut, crf: 25, part, options: optionsFor('medium', 'mp4') }
  const headers = []
  for (const memory of ['most', 'usual', 'least'] as const) {
    for (const smooth of [undefined, 'partly', 'mostly'] as const)
      headers.push((await encodeWithFactor({ ...job, seen: { smoothness: smooth } }, memory)).headers)
  }
  expect(avcConfiguration(headers)[13]! & 31).toBe(9) // numOfSequenceParameterSets
})

test('shortens the lookahead before dropping it if a decoder holds many frames', () => {
  const rate = { num: RATE, den: 1 }
  const ahead = (memory: 'most' | 'usual' | 'least') =>
    Number(
      x264Settings({ width: 1280, height: 720 }, 25, { rate, annexb: false }, memory).options.find(([name]) => name === 'rc-lookahead')![1],
    )
  expect([ahead('most'), ahead('usual'), ahead('least')]).toEqual([12, 5, 0])
})

test('gives small films the options of the preset, and AVI no B-frames', () => {
  const chosen = (width: number, height: number, annexb = false) =>
    Object.fromEntries(x264Settings({ width, height }, 25, { rate: { num: RATE, den: 1 }, annexb }, 'most').options)
  expect(chosen(640, 360)).toMatchObject({ 'rc-lookahead': '40', ref: '3', bframes: '3', 'b-pyramid': 'normal' })
  expect(chosen(720, 528, true)).toMatchObject({ 'rc-lookahead': '31', ref: '3', bframes: '0' })
  expect(chosen(1024, 576)).toMatchObject({ 'rc-lookahead': '20', ref: '3', 'b-pyramid': 'normal' })
  expect(chosen(1280, 720)).toMatchObject({ 'rc-lookahead': '12', ref: '2', 'b-pyramid': 'none' })
})

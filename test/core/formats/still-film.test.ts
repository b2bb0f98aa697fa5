import { expect, test } from 'vitest'
import { avcConfiguration } from '../../../src/core/formats/film/entries.ts'
import { PartWriter } from '../../../src/core/formats/film/part-file.ts'
import { encodeOnce } from '../../../src/core/formats/film/pictures.ts'
import { settings } from '../../../src/core/formats/film/settings.ts'
import { isStill } from '../../../src/core/formats/film/static-scene.ts'
import { memorySink } from '../../../src/core/model/sink.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { FRAMES, film, noise, RATE } from '../../support/plain-film.ts'
import { optionsFor } from './media-fixtures.ts'

function still({ bytes, track }: ReturnType<typeof film>, to = FRAMES) {
  const cut = { from: 0, to, start: 0, end: Number.MAX_SAFE_INTEGER, frames: to }
  return isStill({ source: memorySource(bytes, 'film'), track, cut, options: optionsFor('medium', 'mp4') })
}

const texture = (x: number, y: number) => 128 + 60 * Math.sin(x / 7 + (y * y) / 900)
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
  const [usual, quiet] = [false, true].map((is) =>
    settings({ width: 1920, height: 1080 }, 25, { rate, annexb: false }, 'most', { still: is }),
  )
  const differing = quiet!.options.filter(([name, value]) => !usual!.options.some(([n, v]) => n === name && v === value))
  expect(differing).toEqual([
    ['crf', '31'],
    ['ipratio', '3.0'],
  ])
  // The quantiser of a first frame is the factor's less 6 · log2 of the ratio.
  expect(quiet!.crf - 6 * Math.log2(3)).toBeCloseTo(usual!.crf - 6 * Math.log2(2), 1)
})

test('parts that were given more or less memory, or show what is smooth, name their parameter sets by numbers of their own', async () => {
  const { bytes, track } = film(texture)
  const cut = { from: 0, to: 8, start: 0, end: Number.MAX_SAFE_INTEGER, frames: 8 }
  const part = new PartWriter(memorySink(Number.POSITIVE_INFINITY, 'part'))
  const job = { source: memorySource(bytes, 'film'), track, cut, crf: 25, part, options: optionsFor('medium', 'mp4') }
  const headers = []
  for (const memory of ['most', 'usual', 'least'] as const) {
    for (const smooth of [undefined, 'partly', 'mostly'] as const)
      headers.push((await encodeOnce({ ...job, seen: { smooth } }, memory)).headers)
  }
  expect(avcConfiguration(headers)[13]! & 31).toBe(9) // numOfSequenceParameterSets
})

test('a small film whose decoder holds many frames keeps a shorter look ahead before it goes without', () => {
  const rate = { num: RATE, den: 1 }
  const ahead = (memory: 'most' | 'usual' | 'least') =>
    Number(
      settings({ width: 1280, height: 720 }, 25, { rate, annexb: false }, memory).options.find(([name]) => name === 'rc-lookahead')![1],
    )
  expect([ahead('most'), ahead('usual'), ahead('least')]).toEqual([12, 5, 0])
})

test('small films get what the preset would give them, and AVI no frame before one that is shown earlier', () => {
  const chosen = (width: number, height: number, annexb = false) =>
    Object.fromEntries(settings({ width, height }, 25, { rate: { num: RATE, den: 1 }, annexb }, 'most').options)
  expect(chosen(640, 360)).toMatchObject({ 'rc-lookahead': '40', ref: '3', bframes: '3', 'b-pyramid': 'normal' })
  expect(chosen(720, 528, true)).toMatchObject({ 'rc-lookahead': '31', ref: '3', bframes: '0' })
  expect(chosen(1024, 576)).toMatchObject({ 'rc-lookahead': '20', ref: '3', 'b-pyramid': 'normal' })
  expect(chosen(1280, 720)).toMatchObject({ 'rc-lookahead': '12', ref: '2', 'b-pyramid': 'none' })
})

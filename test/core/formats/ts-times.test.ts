import { beforeAll, describe, expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import { readMovie } from '../../../src/core/containers/isobmff/movie.ts'
import { mov } from '../../../src/core/formats/film/film.ts'
import { flv } from '../../../src/core/formats/film/flv/flv.ts'
import { ts } from '../../../src/core/formats/film/ts/ts.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { inEnglish } from '../../support/in-english.ts'
import { pressFile } from '../../support/press-file.ts'
import { type TsUnit, tsOf } from '../../support/ts-file.ts'
import { flvFromMp4, STREAMS, tsUnitsOf, VIDEO_PID } from '../../support/ts-from-mp4.ts'
import { press, rawMovie } from './media-fixtures.ts'

const AS_MP4 = { output: 'mp4', lossless: true } as const
const SECOND = 90_000

let film: Uint8Array
let units: TsUnit[]
beforeAll(async () => {
  film = (await press(mov, rawMovie(10), 'high', 'mp4')).bytes
  units = await tsUnitsOf(film)
})

/** The film with other times. `number`: of a frame among the pictures, or −1 for sound. */
const retimed = (change: (time: number, number: number) => number) => {
  let pictures = 0
  return tsOf(
    STREAMS,
    units.map((unit) => ({ ...unit, pts: change(unit.pts!, unit.pid === VIDEO_PID ? pictures++ : -1) })),
  )
}

const expectJump = async (bytes: Uint8Array, codec = ts) => {
  const { outcome, defect } = await pressFile(codec, bytes, 'a', AS_MP4)
  expect(defect).toBeUndefined()
  expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
  expect(JSON.stringify(inEnglish(outcome))).toContain('timestamps jump')
}

// Fuzzing found these: the original came back as the defect "the result would lose durations".
describe('times of transport streams that jump', () => {
  it.each<[string, (time: number, number: number) => number]>([
    ['ahead and back', (time, number) => (number === 6 ? time + 5965 * SECOND : time)],
    ['back', (time, number) => (number > 5 ? time - 60 * SECOND : time)],
    ['ahead by hours', (time, number) => (number > 5 ? time + 2 * 3600 * SECOND : time)],
    ['at the first frame of a stream', (time, number) => (number < 0 ? time + 2 * 3600 * SECOND : time)],
    ['near the end, by seconds', (time, number) => (number === 6 ? time + 5 * SECOND : time)],
  ])('are refused: %s', async (_, change) => {
    await expectJump(retimed(change))
  })

  it('are refused in a packet without a frame', async () => {
    const at = units.findLastIndex(({ pid }) => pid === VIDEO_PID)
    const { pts, bytes } = units[at]!
    const split = [
      { pid: VIDEO_PID, pts: pts! + 2 * 3600 * SECOND, bytes: new Uint8Array(4) },
      { pid: VIDEO_PID, pts, bytes },
    ]
    await expectJump(tsOf(STREAMS, [...units.slice(0, at), ...split, ...units.slice(at + 1)]))
  })

  it('are kept where all streams continue later', async () => {
    const gap = 60 * SECOND
    // The second picture is shown behind the three that follow it, and none of the first five behind later ones.
    const half = units.filter(({ pid }) => pid === VIDEO_PID)[1]!.pts!
    const { outcome, bytes } = await pressFile(
      ts,
      retimed((time) => (time > half ? time + gap : time)),
      'a.ts',
      AS_MP4,
    )
    expect(outcome.kind, JSON.stringify(inEnglish(outcome))).toBe('compressed')
    using movie = await readMovie(memorySource(bytes, 'a.mp4'))
    for (const track of movie.tracks) expect(track.duration / track.timescale).toBeGreaterThan(60)
  })
})

describe('times of Flash video that jump', () => {
  it.each([
    ['ahead', 3600 * 2000],
    ['back, below zero', -20_000],
  ])('are refused: %s', async (_, milliseconds) => {
    const bytes = await flvFromMp4(film)
    const view = new DataView(bytes.buffer, bytes.byteOffset)
    let frames = 0
    for (let at = 13; at < bytes.length; at += 15 + (view.getUint32(at) & 0xffffff)) {
      if (bytes[at] !== 9 || bytes[at + 12] !== 1 || frames++ < 5) continue
      const time = ((bytes[at + 7]! << 24) | (view.getUint32(at + 3) & 0xffffff)) + milliseconds
      bytes.set([(time >> 16) & 255, (time >> 8) & 255, time & 255, (time >> 24) & 255], at + 4)
    }
    expect(frames).toBe(10)
    await expectJump(concat([bytes]), flv)
  })
})

import { describe, expect, it } from 'vitest'
import { box } from '../../../src/core/containers/isobmff/box.ts'
import { videoStream } from '../../../src/core/formats/film/decoders.ts'

const decoderOf = (type: string) => {
  const entry = box(type, new Uint8Array(78))
  return videoStream(entry, { type, start: 0, body: 8, end: entry.length })?.decoder
}

describe('MPEG-2 of cameras', () => {
  it.each([
    'm2v1',
    'hdv1',
    'hdv5',
    'hdva',
    'xdv1',
    'xdv7',
    'xdvb',
    'xdhd',
    'xd51',
    'xd5b',
    'xd5f',
    'mx3n',
    'mx4p',
    'mx5p',
    'AVmp',
  ])("'%s' is decoded as MPEG-2", (type) => {
    expect(decoderOf(type)).toBe('mpeg2video')
  })

  it.each(['xdv0', 'mx6p', 'xd50', 'hdv0'])("copies pictures of the unknown type '%s'", (type) => {
    expect(decoderOf(type)).toBeUndefined()
  })
})

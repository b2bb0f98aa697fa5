import { describe, expect, it } from 'vitest'
import { identify } from '../../src/codec/identify.ts'
import { memorySource } from '../../src/codec/source.ts'

const text = (s: string) => new TextEncoder().encode(s)
const recognise = async (bytes: Uint8Array, name: string) => (await identify(memorySource(bytes, name)))?.id

describe('identify', () => {
  it.each([
    ['a.txt', text('hello world\n'), 'text'],
    ['a.svg', text('<?xml version="1.0"?>\n<!-- x --><svg xmlns="http://www.w3.org/2000/svg"/>'), 'svg'],
    ['a.eml', text('From: a@example.com\r\nTo: b@example.com\r\nSubject: x\r\n\r\nhello'), 'eml'],
    ['a.dxf', text('  0\nSECTION\n  2\nHEADER\n'), 'dxf'],
    ['a.jpg', new Uint8Array([0xff, 0xd8, 0xff, 0xe0]), 'jpg'],
    ['a.png', new Uint8Array([0xff, 0xd8, 0xff, 0xe0]), 'jpg'],
    ['a.bin', text('%PDF-1.7\n'), 'pdf'],
  ])('%s', async (name, bytes, id) => {
    expect(await recognise(bytes, name)).toBe(id)
  })

  it('does not take noise for a file of any kind, whatever its name', async () => {
    const noise = new Uint8Array(4096).map((_, i) => (i * 197 + (i >> 3) * 31 + 5) & 255)
    expect(await recognise(noise, 'noise.jpg')).toBeUndefined()
    expect(await recognise(new Uint8Array(0), 'empty.txt')).toBeUndefined()
  })
})

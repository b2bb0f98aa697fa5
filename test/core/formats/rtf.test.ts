/** RTF: pictures in every form, what stays byte for byte, and damaged files. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import { hex } from '../../../src/core/bytes/hex.ts'
import { latin1Bytes, latin1Of } from '../../../src/core/bytes/latin1.ts'
import { md4 } from '../../../src/core/bytes/md4.ts'
import { PRESS_CODECS } from '../../../src/core/formats/press.ts'
import { dataOf } from '../../../src/core/formats/rtf/ranges.ts'
import { rtf } from '../../../src/core/formats/rtf/rtf.ts'
import { scanRtf } from '../../../src/core/formats/rtf/scan.ts'
import { RTF_READER } from '../../../src/core/inventory/rtf.ts'
import type { Source } from '../../../src/core/model/codec.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { identify } from '../../../src/core/pipeline/identify.ts'
import { optionsOf } from '../../../src/core/pipeline/job.ts'
import { jpegOf, photo, pngOf } from '../../support/packages.ts'
import { pressFile } from '../../support/press-file.ts'
import { hexLines, rtfFile } from '../../support/rtf-file.ts'

const WIDTH = 320
const HEIGHT = 240
const loose = await jpegOf(photo(WIDTH, HEIGHT), WIDTH, HEIGHT, 98)
const png = pngOf(photo(120, 90), 120, 90)
const signal = new AbortController().signal
const sourceOf = (bytes: Uint8Array) => memorySource(bytes, 'a.rtf')
const compress = (bytes: Uint8Array, quality: 'low' | 'medium' | 'high' = 'medium') =>
  pressFile(rtf, bytes, 'a.rtf', { quality, lent: PRESS_CODECS })
const verify = (before: Uint8Array, after: Uint8Array) =>
  rtf.verify(sourceOf(before), sourceOf(after), { kind: 'compressed', steps: [] }, optionsOf(rtf.format, PRESS_CODECS, { quality: 'low' }))
const picturesOf = async (bytes: Uint8Array) => {
  const source = sourceOf(bytes)
  return Promise.all((await scanRtf(source, signal)).map(async (one) => ({ ...one, content: await dataOf(source, one) })))
}
/** Returns a file in chunks of the given size, so that tokens are cut everywhere. */
const inChunks = (bytes: Uint8Array, size: number): Source => ({
  ...sourceOf(bytes),
  size: bytes.length,
  stream: () =>
    new ReadableStream({
      start(controller) {
        for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.subarray(at, at + size))
        controller.close()
      },
    }),
})

describe('pictures', () => {
  it('in hexadecimal digits and in \\bin become smaller, and everything around them stays', async () => {
    for (const binary of [false, true]) {
      const file = rtfFile([
        { keyword: 'jpegblip', bytes: loose, binary, around: ['{\\*\\shppict', '}{\\nonshppict{\\pict\\wmetafile8 00ff00}}'] },
      ])
      expect((await identify(sourceOf(file)))?.id).toBe('rtf')
      const { outcome, bytes, defect } = await compress(file)
      expect(defect).toBeUndefined()
      expect(outcome).toMatchObject({ kind: 'compressed', steps: [{ code: 'pictures_recompressed', recompressed: 1, pictures: 1 }] })
      const [old, fresh] = [(await picturesOf(file))[0]!, (await picturesOf(bytes))[0]!]
      expect(fresh.content.length).toBeLessThan(old.content.length)
      expect(latin1Of(bytes.subarray(fresh.uid!.start, fresh.uid!.end))).toBe(hex(md4(fresh.content)))
      const outside = (all: Uint8Array, { data }: typeof old) => latin1Of(all.subarray(data.end))
      expect(outside(bytes, fresh)).toBe(outside(file, old))
      expect(latin1Of(bytes.subarray(0, fresh.uid!.start))).toBe(latin1Of(file.subarray(0, old.uid!.start)))
      expect(await verify(file, bytes)).toEqual({ equal: true })
    }
  })

  it('keep the length of their lines and the case of their digits', async () => {
    const group = `{\\pict\\jpegblip\r\n${hexLines(loose, 39).toUpperCase()}}`
    const { bytes } = await compress(rtfFile([], group))
    const [, digits = ''] = /jpegblip\r\n([^}]*)\}/.exec(latin1Of(bytes)) ?? []
    const lines = digits.split('\r\n')
    expect(lines.length).toBeGreaterThan(3)
    expect(lines.slice(0, -1).every((line) => /^[0-9A-F]{78}$/.test(line))).toBe(true)
    expect(lines.at(-1)!.length).toBeLessThanOrEqual(78)
  })

  it('are reduced to the size at which they are shown, unless a shape stretches them', async () => {
    const goal = [720, 540] as const
    const shown = await compress(rtfFile([{ keyword: 'jpegblip', bytes: loose, goal }]), 'low')
    expect(shown.outcome).toMatchObject({ steps: [{ code: 'pictures_recompressed_with' }] })
    const stretched = rtfFile([{ keyword: 'jpegblip', bytes: loose, goal, around: ['{\\shp{\\*\\shpinst{\\sp{\\sn pib}{\\sv ', '}}}}'] }])
    expect((await picturesOf(stretched))[0]!.shown).toBeUndefined()
    expect((await picturesOf(shown.bytes))[0]!.shown).toEqual({ widthInches: 0.5, heightInches: 0.375 })
  })

  it('that are opaque PNG photographs become JPEG below high, with another control word', async () => {
    const file = rtfFile([{ keyword: 'pngblip', bytes: png }])
    const { bytes, outcome } = await compress(file, 'low')
    expect(outcome).toMatchObject({ steps: [{ details: [{ code: 'pngs_to_jpeg', pictures: 1 }] }] })
    expect(latin1Of(bytes)).toContain('\\jpegblip')
    expect(latin1Of(bytes)).not.toContain('\\pngblip')
    expect(await verify(file, bytes)).toEqual({ equal: true })
    expect(latin1Of((await compress(file, 'high')).bytes)).toContain('\\pngblip')
  })

  it('in object data, with half a digit, with other text or with a wrong kind stay', async () => {
    const digits = hex(loose)
    for (const group of [
      `{\\object{\\*\\objdata ${digits}}}`,
      `{\\pict\\jpegblip ${digits}0}`,
      `{\\pict\\jpegblip ${digits}{\\b}}`,
      `{\\pict\\jpegblip ${digits}\\b}`,
      `{\\pict\\jpegblip ${digits}x}`,
      `{\\pict\\pngblip ${digits}}`,
      `{\\pict\\wmetafile8 ${digits}}`,
      `{\\pict\\jpegblip{\\*\\blipuid 00ff}${digits}}`,
    ]) {
      const file = rtfFile([], group)
      const { outcome, bytes } = await compress(file)
      expect(outcome, group.slice(0, 40)).toMatchObject({ kind: 'unchanged', reason: 'no_gain', suggestion: { output: 'zst' } })
      expect(bytes).toEqual(file)
    }
  })

  it('are found wherever the file is cut into chunks', async () => {
    const file = rtfFile([
      { keyword: 'jpegblip', bytes: loose.subarray(0, 700), goal: [1440, 720] },
      { keyword: 'pngblip', bytes: png.subarray(0, 700), binary: true },
    ])
    const whole = await scanRtf(sourceOf(file), signal)
    expect(whole).toHaveLength(2)
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 300 }), async (size) => {
        expect(await scanRtf(inChunks(file, size), signal)).toEqual(whole)
      }),
      { numRuns: 20 },
    )
  })
})

describe('verification', () => {
  it('rejects a result with another text, identifier, picture or length', async () => {
    const file = rtfFile([{ keyword: 'jpegblip', bytes: loose }])
    const { bytes } = await compress(file)
    const text = latin1Of(bytes)
    const changed = (from: string | RegExp, to: string) => verify(file, latin1Bytes(text.replace(from, to)))
    expect(await changed('reader', 'Reader')).toMatchObject({ equal: false })
    expect(await changed('braces', 'braCes')).toMatchObject({ equal: false })
    expect(await changed(/blipuid [0-9a-f]{8}/, 'blipuid 00000000')).toMatchObject({
      equal: false,
      difference: 'picture 1: its uid does not fit',
    })
    expect(await changed('jpegblip', 'pngblip')).toMatchObject({ equal: false })
    expect(await verify(file, concat([bytes, Uint8Array.of(0)]))).toMatchObject({ equal: false })
    const cut = rtfFile([{ keyword: 'jpegblip', bytes: loose.subarray(0, loose.length >> 1) }])
    expect(await verify(file, cut)).toMatchObject({ equal: false, difference: 'picture 1: the picture does not decode' })
  })
})

describe('hostile files', () => {
  it('with too many groups stay unchanged', async () => {
    const deep = latin1Bytes(`{\\rtf1${'{'.repeat(3000)}${'}'.repeat(3000)}}`)
    expect((await compress(deep)).outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
  })

  it('with lengths that lie, endless words and missing braces end', async () => {
    for (const body of ['\\bin99999999999999999999 x', '\\bin-5 x', `\\${'a'.repeat(5000)}`, '{\\pict\\jpegblip ff', '\\', "\\'", '}}}}{{'])
      expect((await compress(latin1Bytes(`{\\rtf1 ${body}`))).outcome.kind).toBe('unchanged')
  })

  it('random changes never give a result that differs outside of pictures', async () => {
    const file = rtfFile([{ keyword: 'jpegblip', bytes: loose.subarray(0, 900) }])
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 5, max: file.length - 1 }), fc.constantFrom(0x7b, 0x7d, 0x5c, 0x30, 0xff), async (at, byte) => {
        const { defect } = await compress(file.with(at, byte))
        expect(defect).toBeUndefined()
      }),
      { numRuns: 30 },
    )
  })
})

describe('inventory', () => {
  it('counts texts, pictures, fields, bookmarks, fonts, properties and objects', async () => {
    const file = rtfFile([{ keyword: 'jpegblip', bytes: loose, goal: [1440, 1080] }], '{\\object{\\*\\objclass Word}{\\*\\objdata 0102}}')
    const found = await RTF_READER.read(sourceOf(concat([file, latin1Bytes('after')])), signal)
    const items = (kind: Parameters<typeof found.get>[0]) => [...(found.get(kind)?.keys() ?? [])]
    expect(items('texts')[0]).toBe('Dear reader,')
    expect(items('links')).toEqual(['HYPERLINK "https://example.org"'])
    expect(items('bookmarks')).toEqual(['bkmkstart here'])
    expect(items('media')).toEqual(['picture picwgoal1440 pichgoal1080 picscalex100'])
    expect(items('embedded_objects')).toHaveLength(2)
    expect(items('properties').join(' ')).toContain('Ada')
    expect(items('fonts').join(' ')).toContain('Arial')
    expect(items('trailing_bytes')).toHaveLength(1)
  })

  it('names what a result has lost', async () => {
    const [before, after] = await Promise.all(
      ['see', 'sea'].map((word) => RTF_READER.read(sourceOf(latin1Bytes(`{\\rtf1 ${word} it\\par}`)), signal)),
    )
    expect(before).not.toEqual(after)
  })
})

it('md4 gives the digests of RFC 1320', () => {
  const digestOf = (text: string) => hex(md4(latin1Bytes(text)))
  expect(digestOf('')).toBe('31d6cfe0d16ae931b73c59d7e0c089c0')
  expect(digestOf('message digest')).toBe('d9130a8164549fe818874806e1c7014b')
  expect(digestOf('12345678901234567890123456789012345678901234567890123456789012345678901234567890')).toBe(
    'e33b4ddc9c38f2199c3e7b164fcc0536',
  )
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import { headAt, headOf, sizeBytesOf } from '../../../src/core/containers/ebml/element.ts'
import { mkv, webm } from '../../../src/core/formats/film/mkv/mkv.ts'
import { verifyMatroska } from '../../../src/core/formats/film/mkv/verify.ts'
import { png } from '../../../src/core/formats/png/png.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { identify } from '../../../src/core/pipeline/identify.ts'
import { inEnglish } from '../../support/in-english.ts'
import { attachment, block, ebmlHeader, element, film, info, number, openElement, space, text, tracks } from '../../support/mkv-file.ts'
import { randomBytes } from '../../support/ogg-file.ts'
import { pngOf } from '../../support/packages.ts'
import { pressFile } from '../../support/press-file.ts'
import { roundsOf } from '../../support/thorough.ts'
import { optionsFor, press } from './media-fixtures.ts'

const pressMkv = (bytes: Uint8Array) => press(mkv, bytes, 'medium', 'mkv')
const verdict = (original: Uint8Array, result: Uint8Array) =>
  verifyMatroska(memorySource(original, 'a'), memorySource(result, 'b'), optionsFor('medium', 'mkv'))

const CLUSTER = 0x1f43b675
const [TAGS, SEGMENT] = [0x1254c367, 0x18538067]
/** Film of given elements, without an index. */
const filmOf = (...parts: Uint8Array[]) => concat([ebmlHeader(), element(SEGMENT, [info(), tracks(), ...parts])])

describe('EBML headers', () => {
  it('have the shortest size field, and all ones are an unknown size (RFC 8794, 6.1)', () => {
    expect([0, 126, 127, 16_382, 16_383].map(sizeBytesOf)).toEqual([1, 1, 2, 2, 3])
    expect(headAt(Uint8Array.of(0xec, 0xff), 0)?.bodyBytes).toBeUndefined()
    expect(headAt(Uint8Array.of(0xec, 0x40, 0x7f), 0)?.bodyBytes).toBe(127)
  })

  it('are read as they are written', () => {
    const ids = fc.constantFrom(0xec, 0x4dbb, 0x2ad7b1, CLUSTER)
    fc.assert(
      fc.property(ids, fc.nat(2 ** 31 - 1), (id, size) => {
        expect(headAt(headOf(id, size), 0)).toEqual({ id, at: 0, bodyAt: headOf(id, size).length, bodyBytes: size })
      }),
    )
  })
})

describe('Matroska files', () => {
  it('are recognised by the document type', async () => {
    const idOf = async (bytes: Uint8Array) => (await identify(memorySource(bytes, 'a')))?.id
    expect(await idOf(film())).toBe('mkv')
    expect(await idOf(film({ type: 'webm' }))).toBe('webm')
    expect(await idOf(element(0x1a45dfa3, [text(0x4282, 'other')], 1))).toBeUndefined()
  })

  it('are recognised by a damaged header, which stays (mkv-damaged-header)', async () => {
    const bytes = film()
    const damaged = concat([bytes.subarray(0, 5), Uint8Array.of(0), bytes.subarray(6)])
    expect((await identify(memorySource(damaged, 'a')))?.id).toBe('mkv')
    const { outcome, bytes: result } = await pressMkv(damaged)
    expect(outcome.kind).toBe('compressed')
    expect(result.subarray(0, ebmlHeader().length)).toEqual(damaged.subarray(0, ebmlHeader().length))
  })

  it.each([
    ['with an index', film()],
    ['without an index', film({ live: true })],
    ['with unknown elements', film({ more: [element(0x1234567b, randomBytes(90, 1))] })],
  ])('%s become smaller and keep everything', async (_, bytes) => {
    const { outcome, bytes: result } = await pressMkv(bytes)
    expect(outcome).toMatchObject({
      kind: 'compressed',
      inventory: { video_tracks: 1, audio_tracks: 1, tags: 2, chapters: 1, languages: 1 },
    })
    expect(outcome).not.toHaveProperty('loss')
    expect(await verdict(bytes, result)).toEqual({ equal: true })
    expect((await pressMkv(result)).outcome).toMatchObject({ kind: 'unchanged', reason: 'no_gain' })
  })

  it('lose Void elements and long size fields, nothing else', async () => {
    const bytes = (long: boolean) => {
      const size = long ? 8 : 1
      const spaces = long ? [space(700)] : []
      const children = [number(0xe7, 0), ...spaces, element(0xa3, randomBytes(40, 2), size), element(0x4321, randomBytes(20, 3), size)]
      const segment = [...spaces, element(CLUSTER, children, long ? 8 : 1)]
      return concat([ebmlHeader(), ...spaces, element(SEGMENT, segment, long ? 8 : 1)])
    }
    expect(Buffer.compare((await pressMkv(bytes(true))).bytes, bytes(false))).toBe(0)
  })

  it('keep clusters of unknown size and live positions', async () => {
    const cluster = openElement(CLUSTER, [number(0xe7, 0), number(0xa7, 0), number(0xab, 0), block(1, 0, 90)])
    const { outcome, bytes } = await pressMkv(concat([ebmlHeader(), openElement(SEGMENT, [info(), tracks(), cluster, cluster])]))
    expect(outcome.kind).toBe('compressed')
    expect(Buffer.from(bytes).indexOf(Buffer.from('1f43b67501ffffffffffffff', 'hex'))).toBeGreaterThan(0)
  })

  it('have smaller attached pictures', async () => {
    const picture = pngOf(new Uint8Array(3 * 64 * 64), 64, 64)
    const bytes = filmOf(attachment('cover.png', 'image/png', picture), attachment('a.ttf', 'font/ttf', randomBytes(50, 1)))
    const { outcome, bytes: result } = await pressFile(mkv, bytes, 'a.mkv', { lent: { png } })
    expect(outcome).toMatchObject({ kind: 'compressed', inventory: { covers: 1, attachments: 1 } })
    // Without the picture, the size fields alone become shorter.
    const { bytes: plain } = await pressFile(mkv, bytes, 'a.mkv')
    expect(result.length).toBeLessThan(plain.length)
  })

  it('of WebM keep their format', async () => {
    const { outcome, bytes } = await press(webm, film({ type: 'webm' }), 'low', 'webm')
    expect(outcome.kind).toBe('compressed')
    expect((await identify(memorySource(bytes, 'a')))?.id).toBe('webm')
  })

  it('with any sizes of blocks and spaces keep every block', async () => {
    const parts = fc.array(fc.tuple(fc.nat(300), fc.nat(130)), { minLength: 1, maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(parts, async (sizes) => {
        const children = sizes.flatMap(([bytes, gap], i) => [block(1, i, bytes), space(gap)])
        const { bytes, outcome } = await pressMkv(filmOf(element(CLUSTER, [number(0xe7, 0), ...children])))
        expect(outcome.kind).toBe('compressed')
        for (const [i, [size]] of sizes.entries())
          expect(Buffer.from(bytes).includes(Buffer.from(block(1, i, size).subarray(9)))).toBe(true)
      }),
      { numRuns: 20 },
    )
  })
})

describe('verification of Matroska files', () => {
  const original = film()

  it.each([
    ['a block changed', film().with(film().length - 900, 7)],
    ['a cluster is missing', film({ clusters: 5 })],
    ['an element is added', film({ more: [element(0x1234567b, randomBytes(9, 1))] })],
    ['the document type changed', film({ type: 'webm' })],
  ])('detects that %s', async (_, result) => {
    expect(await verdict(original, result)).toMatchObject({ equal: false })
  })

  it('detects a changed block without a checksum', async () => {
    // The result has no Void elements, whose content does not matter.
    const { bytes: live } = await pressMkv(film({ live: true }))
    for (let at = live.length - 700; at < live.length - 400; at += 7)
      expect(await verdict(live, live.with(at, live[at]! ^ 4)), `byte ${at}`).toMatchObject({ equal: false })
  })

  it('detects any changed bit of a result', async () => {
    const { bytes } = await pressMkv(original)
    const step = Math.ceil(bytes.length / roundsOf(150))
    for (let at = 0; at < bytes.length; at += step)
      expect(await verdict(original, bytes.with(at, bytes[at]! ^ (1 << (at % 8)))), `byte ${at}`).toMatchObject({ equal: false })
  })
})

describe('damaged Matroska files', () => {
  const nested = (depth: number): Uint8Array => {
    let tag = element(0x67c8, [text(0x45a3, 'A')], 4)
    for (let i = 0; i < depth; i++) tag = element(0x67c8, tag, 4)
    return element(TAGS, [element(0x7373, tag)])
  }
  const cluster = (...children: Uint8Array[]) => element(CLUSTER, [number(0xe7, 0), ...children])

  it.each([
    ['cut off', film().slice(0, -20), 'malformed'],
    ['a wrong checksum', film().with(90, 3), 'malformed'],
    ['an element that is longer than its cluster', filmOf(element(CLUSTER, Uint8Array.of(0xa3, 0x88, 1))), 'malformed'],
    ['a cue that leads nowhere', film({ wrong: 1 }), 'unsupported_feature'],
    ['a wrong position of a cluster', filmOf(cluster(number(0xa7, 5))), 'unsupported_feature'],
    [
      'two segments',
      concat([ebmlHeader(), openElement(SEGMENT, [info(), ebmlHeader(), openElement(SEGMENT, [info()])])]),
      'unsupported_feature',
    ],
    ['data behind the segment', concat([film(), randomBytes(9, 1)]), 'unsupported_feature'],
    ['a block of unknown size', filmOf(openElement(CLUSTER, [openElement(0xa3, [])])), 'unsupported_feature'],
    ['no segment', concat([ebmlHeader(), cluster()]), 'malformed'],
    ['tags of unknown size', concat([ebmlHeader(), openElement(SEGMENT, [info(), openElement(TAGS, [])])]), 'unsupported_feature'],
    [
      'a size of 2^56 - 2',
      concat([ebmlHeader(), Uint8Array.of(0x18, 0x53, 0x80, 0x67, 1, 255, 255, 255, 255, 255, 255, 254)]),
      'malformed',
    ],
  ])('with %s stay unchanged', async (_, bytes, reason) => {
    const { outcome, bytes: result } = await pressMkv(bytes)
    expect(outcome).toMatchObject({ kind: 'unchanged', reason, detail: expect.anything() })
    expect(outcome.kind === 'unchanged' && inEnglish(outcome.detail)).toMatch(/Matroska/)
    expect(result).toBe(bytes)
  })

  it('nested 1000 deep are compressed outside of the nesting', async () => {
    const bytes = filmOf(nested(1000))
    const { outcome, bytes: result } = await pressMkv(bytes)
    expect(outcome.kind).toBe('compressed')
    expect(await verdict(bytes, result)).toEqual({ equal: true })
  })

  it('with very many tiny elements are compressed, or stay', async () => {
    const tiny = new Uint8Array(2 * roundsOf(100_000)).map((_, i) => (i % 2 === 0 ? 0xb0 : 0x80))
    expect((await pressMkv(filmOf(element(CLUSTER, tiny)))).outcome.kind).toBe('compressed')
    const { outcome } = await pressMkv(
      filmOf(
        element(
          TAGS,
          new Uint8Array(2 * 500_001).map((_, i) => (i % 2 === 0 ? 0xb0 : 0x80)),
        ),
      ),
    )
    expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'over_budget' })
  })

  it('with CodecPrivate of 9 MiB are copied', async () => {
    const huge = element(0x1654ae6b, [element(0xae, [number(0xd7, 1, 1), element(0x63a2, new Uint8Array(9 << 20))])])
    const { outcome } = await pressMkv(concat([ebmlHeader(), element(SEGMENT, [space(50), huge])]))
    expect(outcome.kind).toBe('compressed')
  })

  it('give an outcome, never another error', async () => {
    const whole = film()
    for (let round = 0; round < roundsOf(300); round++) {
      const [at, length] = [(round * 37) % whole.length, 1 + (round % 9)]
      const damaged = concat([whole.subarray(0, at), randomBytes(length, round), whole.subarray(at + (round % 3) * length)])
      expect(['compressed', 'unchanged']).toContain((await pressMkv(damaged)).outcome.kind)
    }
  })
})

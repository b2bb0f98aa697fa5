import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import { gz } from '../../../src/core/formats/gz/gz.ts'
import { verifyGzip } from '../../../src/core/formats/gz/verify.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { identify } from '../../../src/core/pipeline/identify.ts'
import { inEnglish } from '../../support/in-english.ts'
import { randomBytes } from '../../support/ogg-file.ts'
import { pressFile } from '../../support/press-file.ts'
import { roundsOf } from '../../support/thorough.ts'
import { optionsFor } from './media-fixtures.ts'

const utf8 = (text: string) => new TextEncoder().encode(text)
const prose = (lines: number, seed = 1) =>
  utf8(Array.from({ length: lines }, (_, i) => `${(i * 7919 * seed) % 1009} entry of a list, ${i % 13} of thirteen\n`).join(''))
const fast = (content: Uint8Array) => new Uint8Array(gzipSync(content, { level: 1 }))

/** Member with an extra field, a name, a comment and a checksum of its header, as `flags` tell. */
function member(content: Uint8Array, flags: number, fields: Uint8Array = new Uint8Array()): Uint8Array {
  const plain = fast(content)
  const header = Uint8Array.of(0x1f, 0x8b, 8, flags, 1, 2, 3, 4, 0, 3)
  return concat([header, fields, plain.subarray(10)])
}

const EXTRA = Uint8Array.of(6, 0, 0x41, 0x70, 2, 0, 9, 9)
const pressed = (bytes: Uint8Array, options = {}) => pressFile(gz, bytes, 'a.tar.gz', options)

describe('gzip files', () => {
  it('are recognised unless they hold a format of its own', async () => {
    const idOf = async (content: Uint8Array) => (await identify(memorySource(fast(content), 'a.gz')))?.id
    expect(await idOf(prose(9))).toBe('gz')
    expect(await idOf(utf8('<svg xmlns="http://www.w3.org/2000/svg"/>'))).toBe('svg')
  })

  it('of an unknown method are recognised and come back with the place of the error', async () => {
    const bytes = fast(prose(9)).with(2, 4)
    expect((await identify(memorySource(bytes, 'a.gz')))?.id).toBe('gz')
    expect((await pressed(bytes)).outcome).toMatchObject({ kind: 'unchanged', reason: 'malformed' })
  })

  it.each([
    ['a short member', fast(prose(400))],
    ['a member above the size of optimal parsing', fast(prose(60_000))],
    ['several members', concat([fast(prose(300)), fast(prose(200, 3)), fast(new Uint8Array())])],
    ['zeros behind it', concat([fast(prose(300)), new Uint8Array(512)])],
    ['all fields', member(prose(300), 4 | 8 | 16 | 2, concat([EXTRA, utf8('name.txt\0comment\0'), Uint8Array.of(7, 7)]))],
  ])('with %s become smaller and keep headers and content', async (_, bytes) => {
    const { outcome, bytes: result } = await pressed(bytes)
    expect(outcome.kind, JSON.stringify(inEnglish(outcome))).toBe('compressed')
    expect(Buffer.compare(result.subarray(0, 10), bytes.subarray(0, 10))).toBe(0)
    expect(await verifyGzip(memorySource(bytes, 'a'), memorySource(result, 'b'), optionsFor('medium', 'gz'))).toEqual({ equal: true })
    expect((await pressed(result)).outcome).toMatchObject({ kind: 'unchanged', reason: 'no_gain' })
  })

  it('are read by zlib', async () => {
    const [one, other] = [prose(500), prose(100, 5)]
    const { bytes } = await pressed(concat([member(one, 4 | 8, concat([EXTRA, utf8('x\0')])), fast(other)]))
    expect(Buffer.compare(gunzipSync(bytes), concat([one, other]))).toBe(0)
    expect(Buffer.from(bytes).includes('Ap')).toBe(true)
  })

  it.each<[string, Uint8Array, string, RegExp]>([
    ['cut off', fast(prose(300)).subarray(0, 900), 'malformed', /ends inside/],
    ['with a wrong checksum', fast(prose(300)).with(-5, 1).with(-8, 1), 'malformed', /checksum/],
    ['with damaged data', concat([fast(prose(30)).subarray(0, 10), new Uint8Array(90).fill(255)]), 'malformed', /damaged/],
    ['with reserved flags', member(prose(300), 0x40), 'malformed', /unknown/],
    ['of indexed blocks (BGZF)', member(prose(300), 4, Uint8Array.of(6, 0, 0x42, 0x43, 2, 0, 9, 9)), 'unsupported_feature', /index/],
    ['that end inside the header', Uint8Array.of(0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3, 65), 'malformed', /ends inside/],
  ])('%s stay as they are', async (_, bytes, reason, why) => {
    const { outcome } = await pressed(bytes)
    expect(outcome).toMatchObject({ kind: 'unchanged', reason })
    expect(JSON.stringify(inEnglish(outcome))).toMatch(why)
  })

  it('with too many members stay as they are', async () => {
    const empty = fast(new Uint8Array())
    const { outcome } = await pressed(concat(Array.from({ length: 100_001 }, () => empty)))
    expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'over_budget' })
  })

  it('of any members and any bytes behind them keep all content', async () => {
    const content = fc.uint8Array({ maxLength: 400 }).map((bytes) => concat([bytes, prose(20)]))
    await fc.assert(
      fc.asyncProperty(fc.array(content, { minLength: 1, maxLength: 4 }), fc.nat(40), async (contents, behind) => {
        const bytes = concat([...contents.map(fast), new Uint8Array(behind)])
        const { outcome, bytes: result } = await pressed(bytes)
        expect(outcome.kind).toBe('compressed')
        expect(Buffer.compare(gunzipSync(result), concat(contents))).toBe(0)
        expect(Buffer.compare(result.subarray(result.length - behind), new Uint8Array(behind))).toBe(0)
      }),
      { numRuns: roundsOf(15) },
    )
  })
})

describe('verification of gzip files', () => {
  const original = concat([fast(prose(100)), fast(prose(90, 3)), Uint8Array.of(0, 0)])
  it.each([
    ['another name', concat([member(prose(100), 8, utf8('a\0')), fast(prose(90, 3)), Uint8Array.of(0, 0)])],
    ['other content', concat([fast(prose(100)), fast(prose(90, 5)), Uint8Array.of(0, 0)])],
    ['longer content', concat([fast(prose(101)), fast(prose(90, 3)), Uint8Array.of(0, 0)])],
    ['a missing member', concat([fast(prose(100)), Uint8Array.of(0, 0)])],
    ['members that became one', concat([fast(concat([prose(100), prose(90, 3)])), Uint8Array.of(0, 0)])],
    ['other bytes behind', original.with(-1, 1)],
    ['missing bytes behind', original.subarray(0, -1)],
  ])('notices %s', async (_, result) => {
    expect((await verifyGzip(memorySource(original, 'a'), memorySource(result, 'b'), optionsFor('medium', 'gz'))).equal).toBe(false)
  })
})

it('random data in gzip stays as it is', async () => {
  expect((await pressed(fast(randomBytes(3000, 1)))).outcome).toMatchObject({ kind: 'unchanged', reason: 'no_gain' })
})

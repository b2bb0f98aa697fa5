/** Tests of pure functions of http/ and tasks/. */
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { FORMATS } from '../../../src/core/catalog/index.ts'
import { preference, preferenceApplied } from '../../../src/service/http/prefer.ts'
import { ifMatchPasses, ifRangeMatches, isKnown, parseRange } from '../../../src/service/http/range.ts'
import { requestId } from '../../../src/service/http/request-id.ts'
import { isWellFormedKey, makeKey, maskKey, randomBase62 } from '../../../src/service/store/key-format.ts'
import { egressSender } from '../../../src/service/tasks/egress.ts'
import { attachment, cleanFileName } from '../../../src/service/tasks/file-name.ts'
import { fingerprint, parseIdempotencyKey } from '../../../src/service/tasks/idempotency.ts'
import { hashFile } from '../../../src/service/tasks/ingest.ts'
import { checkQuality, chooseOutput } from '../../../src/service/tasks/job-options.ts'
import { deliverWebhook, nextDeliveryAt } from '../../../src/service/tasks/notify.ts'

describe('keys', () => {
  it('have a checksum that detects every changed character', () => {
    for (let i = 0; i < 50; i++) {
      const key = makeKey()
      expect(key).toMatch(/^whl_live_[0-9A-Za-z]{36}$/)
      expect(isWellFormedKey(key)).toBe(true)
      const at = 9 + (i % 36)
      const other = key[at] === 'a' ? 'b' : 'a'
      expect(isWellFormedKey(key.slice(0, at) + other + key.slice(at + 1))).toBe(false)
    }
    for (const wrong of ['', 'whl_live_', `whl_live_${'0'.repeat(36)}`, `${makeKey()}x`, makeKey().slice(1)])
      expect(isWellFormedKey(wrong)).toBe(false)
  })

  it('use every character about equally often', () => {
    const counts = new Map<string, number>()
    for (const letter of Array.from({ length: 100 }, () => randomBase62(620)).join('')) counts.set(letter, (counts.get(letter) ?? 0) + 1)
    expect(counts.size).toBe(62)
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(250)
  })

  it('are shown masked', () => {
    const key = makeKey()
    expect(maskKey(key)).toBe(`${key.slice(0, 13)}…${key.slice(-4)}`)
  })
})

describe('ranges', () => {
  it('are served, refused or ignored as RFC 9110 says', () => {
    const part = (first: number, last: number) => ({ kind: 'part', first, last })
    expect(parseRange('bytes=0-0', 10)).toEqual(part(0, 0))
    expect(parseRange('bytes=5-', 10)).toEqual(part(5, 9))
    expect(parseRange('bytes=-3', 10)).toEqual(part(7, 9))
    expect(parseRange('bytes=-99', 10)).toEqual(part(0, 9))
    expect(parseRange('bytes=0-99999999999999999999', 10)).toEqual(part(0, 9))
    for (const outside of ['bytes=10-', 'bytes=10-12', 'bytes=-0', 'bytes=99999999999999999999999-']) {
      expect(parseRange(outside, 10), outside).toEqual({ kind: 'unsatisfiable' })
    }
    for (const ignored of [undefined, '', 'bytes=', 'bytes=9-2', 'bytes=a-b', 'items=0-1', 'bytes=0-1,3-4', 'bytes=0-1x']) {
      expect(parseRange(ignored, 10), ignored).toEqual({ kind: 'whole' })
    }
  })

  it('never exceed the file', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(), (text, size) => {
        const range = parseRange(`bytes=${text}`, size)
        return range.kind !== 'part' || (range.first >= 0 && range.first <= range.last && range.last < size)
      }),
    )
  })

  it('use strong comparison, If-None-Match weak comparison', () => {
    const tag = '"abc"'
    expect([ifMatchPasses(undefined, tag), ifMatchPasses('*', tag), ifMatchPasses('"x", "abc"', tag)]).toEqual([true, true, true])
    expect([ifMatchPasses('"x"', tag), ifMatchPasses('W/"abc"', tag)]).toEqual([false, false])
    expect([isKnown('W/"abc"', tag), isKnown('"x","abc"', tag), isKnown('*', tag)]).toEqual([true, true, true])
    expect([isKnown(undefined, tag), isKnown('abc', tag), isKnown('"ab"', tag)]).toEqual([false, false, false])
    expect([ifRangeMatches(undefined, tag), ifRangeMatches(tag, tag), ifRangeMatches('W/"abc"', tag)]).toEqual([true, true, false])
  })
})

describe('file names', () => {
  it('are the last part of a path, printable, and never empty', () => {
    expect(cleanFileName('C:\\Users\\x\\a.txt')).toBe('a.txt')
    expect(cleanFileName('../../etc/passwd')).toBe('passwd')
    expect(cleanFileName('a\0b\r\n.txt')).toBe('ab.txt')
    expect(cleanFileName('gnp\u202Etxt.exe')).toBe('gnptxt.exe')
    for (const empty of ['', '..', '.', '/', '\u0000']) expect(cleanFileName(empty)).toBe('upload')
    const long = cleanFileName(`${'ü'.repeat(400)}.tar.gz`)
    expect([...long]).toHaveLength(255)
    expect(long.endsWith('.gz')).toBe(true)
  })

  it('are encoded in an ASCII header that can be decoded exactly', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (sent) => {
        const name = cleanFileName(sent)
        const header = attachment(name)
        expect(header).toMatch(/^[\x20-\x7e]+$/)
        const exact = /filename\*=UTF-8''([^;]+)$/.exec(header)?.[1]
        expect(decodeURIComponent(exact ?? '')).toBe(name)
      }),
    )
  })
})

describe('headers of the caller', () => {
  it('reuse a safe request id and replace any other', () => {
    for (const kept of ['a', 'My.id_9-x', 'x'.repeat(64)]) expect(requestId(kept)).toBe(kept)
    for (const replaced of [undefined, '', 'x'.repeat(65), 'a b', '<a>', 'é']) expect(requestId(replaced)).toMatch(/^req_[0-9A-Za-z]{20}$/)
  })

  it('include Prefer', () => {
    expect(preference('respond-async')).toEqual({ kind: 'async' })
    expect(preference('foo; bar, WAIT=5')).toEqual({ kind: 'wait', ms: 5000 })
    for (const both of ['respond-async, wait=5', 'wait=5, respond-async']) expect(preference(both)).toEqual({ kind: 'async' })
    expect(preference('wait=5, wait=7')).toEqual({ kind: 'wait', ms: 5000 })
    expect(preference('wait=999')).toEqual({ kind: 'wait', ms: 60_000 })
    for (const nothing of [undefined, '', 'wait', 'wait=x', 'wait=-1']) expect(preference(nothing)).toBeUndefined()
    expect(preferenceApplied({ kind: 'wait', ms: 5000 })).toMatchObject({ 'Preference-Applied': 'wait=5' })
  })

  it('accept idempotency keys with and without quotes', () => {
    expect(parseIdempotencyKey('"a b"')).toBe('a b')
    expect(parseIdempotencyKey('abc-1')).toBe('abc-1')
    expect(parseIdempotencyKey(undefined)).toBeUndefined()
    for (const bad of ['', '"', '"open', 'x'.repeat(256), 'é', 'a b']) {
      expect(() => parseIdempotencyKey(bad), bad).toThrow(expect.objectContaining({ type: 'invalid_parameter' }))
    }
  })

  it('produce a fingerprint of bytes and fields that is independent of their order', async () => {
    const file = { fileName: 'a', size: 1, sha256: 'aa' }
    const one = await fingerprint(
      's',
      [file],
      new Map([
        ['a', '1'],
        ['b', '2'],
      ]),
    )
    expect(
      await fingerprint(
        's',
        [{ ...file, fileName: 'b' }],
        new Map([
          ['b', '2'],
          ['a', '1'],
        ]),
      ),
    ).toBe(one)
    expect(
      await fingerprint(
        's',
        [{ ...file, sha256: 'ab' }],
        new Map([
          ['a', '1'],
          ['b', '2'],
        ]),
      ),
    ).not.toBe(one)
    expect(
      await fingerprint(
        's',
        [file],
        new Map([
          ['a', '1'],
          ['b', '3'],
        ]),
      ),
    ).not.toBe(one)
    expect(
      await fingerprint(
        't',
        [file],
        new Map([
          ['a', '1'],
          ['b', '2'],
        ]),
      ),
    ).not.toBe(one)
  })
})

it('stops hashing a repeated upload at the size limit of the plan (idempotent-flood)', async () => {
  let given = 0
  async function* body() {
    for (; ; given++) yield new Uint8Array(1000)
  }
  await expect(hashFile('a', body(), 10_000)).rejects.toMatchObject({ type: 'file_too_large', facts: { limit_bytes: 10_000 } })
  expect(given).toBe(40)
  async function* small() {
    yield new Uint8Array(10_000)
  }
  expect(await hashFile('a', small(), 10_000)).toMatchObject({ size: 10_000 })
})

describe('a delivery', () => {
  it('is judged by its status, even if the body of the answer ends early', async () => {
    const body = new ReadableStream({
      pull(controller) {
        controller.error(new Error('the line is gone'))
      },
    })
    const called = vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response(body, { status: 200 }))
    try {
      const delivery = await deliverWebhook(
        egressSender(undefined),
        { url: 'https://hooks.example.com/', messageId: 'msg_1', body: '{}' },
        `whsec_${btoa('a secret of some length!')}`,
      )
      expect(delivery).toMatchObject({ status: 200 })
      expect(nextDeliveryAt(delivery, 1)).toBeUndefined()
    } finally {
      called.mockRestore()
    }
  })
})

describe('options', () => {
  it('find an output by id, extension or alias, in any case', () => {
    expect(chooseOutput(FORMATS.jpg, undefined)).toBe('jpg')
    expect(chooseOutput(FORMATS.png, 'JPEG')).toBe('jpg')
    expect(chooseOutput(FORMATS.geotiff, '.tif')).toBe('geotiff')
    expect(chooseOutput(FORMATS.tiff, 'TIF')).toBe('tiff')
    expect(chooseOutput(FORMATS.text, 'brotli')).toBe('br')
    expect(chooseOutput(FORMATS.text, 'zstd')).toBe('zst')
    expect(chooseOutput(FORMATS.docx, 'docm')).toBe('docx')
    expect(() => chooseOutput(FORMATS.text, 'mp4')).toThrow(
      expect.objectContaining({ type: 'unsupported_output', facts: expect.objectContaining({ allowed: ['zst', 'br', 'gz'] }) }),
    )
  })

  it('allow `ultra` only for formats that have it', () => {
    checkQuality(FORMATS.docx, 'ultra')
    checkQuality(FORMATS.png, 'high')
    expect(() => checkQuality(FORMATS.png, 'ultra')).toThrow(expect.objectContaining({ type: 'invalid_parameter' }))
  })
})

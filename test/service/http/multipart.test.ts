import { exports } from 'cloudflare:workers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BodyWindow, boundaryOf, parseMultipart } from '../../../src/service/http/multipart.ts'
import { BASE, blobs, errorOf, member, TEXT } from './client.ts'

const encode = (text: string) => new TextEncoder().encode(text)

interface Plain {
  name: string
  fileName: string | undefined
  bytes: Uint8Array
}

/** Stream that delivers `bytes` in chunks of these lengths, repeatedly. */
function cut(bytes: Uint8Array, lengths: readonly number[]): ReadableStream<Uint8Array> {
  let at = 0
  let turn = 0
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close()
      const length = lengths[turn++ % lengths.length]!
      controller.enqueue(bytes.slice(at, at + length))
      at += length
    },
  })
}

async function parse(bytes: Uint8Array, boundary: string, lengths: readonly number[] = [64]): Promise<Plain[]> {
  const parts: Plain[] = []
  for await (const part of parseMultipart(new BodyWindow(cut(bytes, lengths)), boundary)) {
    const chunks: number[] = []
    for await (const chunk of part.body) chunks.push(...chunk)
    parts.push({ name: part.name, fileName: part.fileName, bytes: new Uint8Array(chunks) })
  }
  return parts
}

function build(parts: readonly Plain[], boundary: string): Uint8Array {
  const bytes: number[] = []
  for (const { name, fileName, bytes: content } of parts) {
    const file = fileName === undefined ? '' : `; filename="${fileName}"`
    bytes.push(...encode(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`), ...content, ...encode('\r\n'))
  }
  bytes.push(...encode(`--${boundary}--\r\n`))
  return new Uint8Array(bytes)
}

/** Bytes that often resemble the beginning of a boundary. */
const tricky = fc.array(fc.constantFrom(...encode('\r\n-XbX\0a')), { maxLength: 200 }).map((bytes) => new Uint8Array(bytes))

describe('multipart', () => {
  it('returns every part for any split of the stream', async () => {
    const word = fc.stringMatching(/^[a-z]{1,12}$/)
    const part = fc.record({ name: word, fileName: fc.option(word, { nil: undefined }), bytes: tricky })
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { maxLength: 5 }),
        fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }),
        async (parts, lengths) => {
          const boundary = 'XbXbXQ'
          expect(await parse(build(parts, boundary), boundary, lengths)).toEqual(parts)
        },
      ),
      { numRuns: 150 },
    )
  })

  it('refuses a body that ends before its closing boundary', async () => {
    const whole = build([{ name: 'file', fileName: 'a.txt', bytes: encode('hello') }], 'bb')
    const closing = whole.length - '--\r\n'.length
    for (let length = 0; length < closing + 2; length++) {
      await expect(parse(whole.subarray(0, length), 'bb', [7]), `${length} bytes`).rejects.toMatchObject({ type: 'malformed_request' })
    }
    expect(await parse(whole.subarray(0, closing + 2), 'bb', [7])).toHaveLength(1)
  })

  it('skips the unread rest of a part', async () => {
    const body = build(
      [1, 2, 3].map((n) => ({ name: `n${n}`, fileName: undefined, bytes: new Uint8Array(1000) })),
      'bb',
    )
    const names: string[] = []
    for await (const part of parseMultipart(new BodyWindow(cut(body, [100])), 'bb')) names.push(part.name)
    expect(names).toEqual(['n1', 'n2', 'n3'])
  })

  it('reads field names in all encodings that clients use', async () => {
    const names = async (disposition: string) => {
      const [part] = await parse(encode(`--b\r\ncontent-disposition: ${disposition}\r\n\r\nx\r\n--b--`), 'b')
      return [part?.name, part?.fileName]
    }
    expect(await names('form-data; name="file"; filename="a.txt"')).toEqual(['file', 'a.txt'])
    expect(await names('form-data;\tname=file;\tfilename=a.txt')).toEqual(['file', 'a.txt'])
    expect(await names('form-data; name="f"; filename="a \\"b\\".txt"')).toEqual(['f', 'a "b".txt'])
    expect(await names('form-data; name="f"; filename="a %22b%22 100%.txt"')).toEqual(['f', 'a "b" 100%.txt'])
    expect(await names('form-data; name="f"; filename="x"; filename*=UTF-8\'\'%E2%82%AC.txt')).toEqual(['f', '€.txt'])
    expect(await names('form-data; name="f"; filename="x"; filename*=UTF-8\'\'%E2%82')).toEqual(['f', 'x'])
    expect(await names('form-data; name="f"; filename="Übung 你好"')).toEqual(['f', 'Übung 你好'])
    expect(await names('form-data; name="f"; filename="C:\\temp\\a.txt"')).toEqual(['f', 'C:\\temp\\a.txt'])
  })

  it('accepts quoted and bare boundaries, and any case of the media type', () => {
    expect(boundaryOf('multipart/form-data; boundary=abc')).toBe('abc')
    expect(boundaryOf('Multipart/Form-Data; charset=x; Boundary="a b"')).toBe('a b')
    for (const bad of [
      undefined,
      '',
      'application/json',
      'multipart/mixed; boundary=a',
      'multipart/form-data',
      `multipart/form-data; boundary=${'y'.repeat(71)}`,
    ]) {
      expect(() => boundaryOf(bad), bad).toThrow(expect.objectContaining({ type: 'malformed_request' }))
    }
  })

  it('stores nothing if a body ends early', async () => {
    const who = await member()
    const file = (disposition: string, content: string) => `--b\r\nContent-Disposition: ${disposition}\r\n\r\n${content}\r\n`
    const good = file('form-data; name="file"; filename="a.txt"', TEXT)
    const bodies = {
      'no closing boundary': good,
      'cut inside the file': good.slice(0, -500),
      'cut inside 7 MB': file('form-data; name="file"; filename="a.txt"', 'x'.repeat(7_000_000)).slice(0, -9),
      'a part without a name': `${good}--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--`,
      'a part without headers': `${good}--b\r\n\r\nx\r\n--b--`,
      'a base64 part': `${good}--b\r\nContent-Disposition: form-data; name="q"\r\nContent-Transfer-Encoding: base64\r\n\r\nx\r\n--b--`,
      'a header of 20 kB': `${good}--b\r\nContent-Disposition: form-data; name="q"\r\nX: ${'h'.repeat(20_000)}\r\n\r\nx\r\n--b--`,
      'a long unknown field': `${good}${file('form-data; name="other"', 'x'.repeat(9000))}--b--`,
      'a hundred fields': `${good}${file('form-data; name="other"', 'x').repeat(100)}--b--`,
      'quality twice': `${good}${file('form-data; name="quality"', 'low').repeat(2)}--b--`,
      'quality as a file': `${good}${file('form-data; name="quality"; filename="q"', 'low')}--b--`,
      'a second file': `${good}${good}--b--`,
    }
    for (const [what, body] of Object.entries(bodies)) {
      for (const path of ['/v1/compress', '/v1/batch/compress']) {
        if (what === 'a second file' && path === '/v1/batch/compress') continue
        const sent = path === '/v1/compress' ? body : body.replaceAll('name="file"', 'name="files[]"')
        const headers = { Authorization: `Bearer ${who.key}`, 'Content-Type': 'multipart/form-data; boundary=b' }
        const answer = await exports.default.fetch(new Request(BASE + path, { method: 'POST', headers, body: sent }))
        expect(answer.status, `${what} to ${path}`).toBe(400)
        expect(['malformed_request', 'invalid_parameter', 'too_many_files']).toContain((await errorOf(answer)).error_detail.type)
        expect(await blobs(), what).toEqual([])
      }
    }
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAIL as POLICY } from '../../../src/core/catalog/inventory/mail.ts'
import { eml } from '../../../src/core/formats/eml/eml.ts'
import { message } from '../../../src/core/i18n/message.ts'
import { checkInventory } from '../../../src/core/inventory/check.ts'
import { emlInventory } from '../../../src/core/inventory/eml.ts'
import { lossOf, pixelLoss } from '../../../src/core/model/loss.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { jpegOf, mockInner, photo, press } from '../../support/packages.ts'

const { signal } = new AbortController()
const sourceOf = (text: string | Uint8Array) => memorySource(typeof text === 'string' ? Buffer.from(text, 'latin1') : text, 'a.eml')

async function inventoryOf(text: string | Uint8Array): Promise<{ [kind: string]: string[] }> {
  const inventory = await emlInventory.read(sourceOf(text), signal)
  return Object.fromEntries(
    [...inventory].map(([kind, items]) => [kind, [...items].map(([item, count]) => (count > 1 ? `${item} ×${count}` : item))]),
  )
}

const loose = await jpegOf(photo(320, 240), 320, 240, 98)
const tight = await jpegOf(photo(320, 240), 320, 240, 70)
const lines = (bytes: Uint8Array) =>
  Buffer.from(bytes)
    .toString('base64')
    .replace(/.{1,76}/g, '$&\r\n')
    .trimEnd()

const MAIL = [
  'From: Ada <ada@example.org>',
  'Subject: =?utf-8?q?Photos?=',
  ' of the house',
  'Content-Type: multipart/mixed; boundary="outer"',
  '',
  'This is a MIME message.',
  '--outer',
  'Content-Type: multipart/alternative; boundary=inner',
  '',
  '--inner',
  'Content-Type: text/plain; charset=utf-8',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  'Hello =3D world, this line is =',
  'long.',
  '--inner',
  'Content-Type: text/html',
  'Content-Language: en',
  '',
  '<p>Hello</p>',
  '--inner--',
  '--outer',
  'Content-Type: image/jpeg; name="house.jpg"',
  'Content-Transfer-Encoding: base64',
  'Content-Disposition: attachment; filename="house.jpg"',
  'Content-ID: <house@example.org>',
  '',
  lines(loose),
  '--outer',
  'Content-Type: application/octet-stream',
  'Content-Transfer-Encoding: base64',
  'Content-Disposition: attachment; filename=key.bin',
  '',
  lines(new Uint8Array(700).fill(7)),
  '--outer',
  'Content-Type: message/rfc822',
  '',
  'Subject: forwarded',
  '',
  'Old text',
  '--outer--',
  'epilogue',
].join('\r\n')

describe('inventory of a mail', () => {
  it('names headers, parts, texts and attachments', async () => {
    expect(await inventoryOf(MAIL)).toEqual({
      attachments: [expect.stringMatching(/^application\/octet-stream key\.bin = 700 bytes #[\da-f]{16}$/)],
      headers: [
        'From = Ada <ada@example.org>',
        'Subject = =?utf-8?q?Photos?= of the house',
        'Content-Type = multipart/mixed; boundary="outer"',
      ],
      headers_of_parts: [
        'Content-Type = multipart/alternative; boundary=inner',
        'Content-Type = text/plain; charset=utf-8',
        'Content-Type = text/html',
        'Content-Language = en',
        'Content-ID = <house@example.org>',
        'Content-Type = application/octet-stream',
        'Content-Disposition = attachment; filename=key.bin',
        'Content-Type = message/rfc822',
        'Subject = forwarded',
      ],
      parts: [
        'multipart/mixed',
        'multipart/alternative',
        'text/plain ×2',
        'text/html',
        'picture house.jpg attachment <house@example.org>',
        'application/octet-stream key.bin attachment',
        'message/rfc822',
      ],
      texts: [
        expect.stringMatching(/^text\/plain = 33 bytes #/),
        expect.stringMatching(/^text\/html = 12 bytes #/),
        expect.stringMatching(/^text\/plain = 8 bytes #/),
      ],
    })
    for (const kind of (await emlInventory.read(sourceOf(MAIL), signal)).keys()) expect(Object.keys(POLICY.eml)).toContain(kind)
  })

  it('reads line feeds, and equal content in another transfer encoding, as the same', async () => {
    const body = (encoding: string, text: string) => `Content-Transfer-Encoding: ${encoding}\n\n${text}`
    const texts = await Promise.all(
      [body('base64', 'SGVsbG8gd29ybGQh'), body('quoted-printable', 'Hello=20world=\n!'), body('7bit', 'Hello world!')].map(
        async (text) => (await inventoryOf(text))['texts'],
      ),
    )
    expect(texts[1]).toEqual(texts[0])
    expect(texts[2]).toEqual(texts[0])
  })

  it('finds a boundary wherever the pieces of the file end', async () => {
    for (let padding = 0; padding < 80; padding++) {
      const body = `${'x'.repeat(70)}\r\n`.repeat(1819) + 'y'.repeat(padding)
      const text = `Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\n${body}\r\n--b\r\nContent-Type: text/html\r\n\r\nend\r\n--b--`
      expect((await inventoryOf(text))['parts']).toEqual(['multipart/mixed', 'text/plain', 'text/html'])
    }
  })

  it('reports the blocks of a delivery report', async () => {
    const report = 'Content-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; a\r\n\r\nAction: failed\r\nStatus: 5.0.0\r\n'
    expect((await inventoryOf(report))['headers_of_parts']).toEqual(['Reporting-MTA = dns; a', 'Action = failed', 'Status = 5.0.0'])
  })
})

describe('a result that lacks an item', () => {
  const inner = mockInner(() => ({
    kind: 'compressed',
    bytes: tight,
    output: 'jpg',
    outcome: { kind: 'compressed', ...lossOf(pixelLoss({ ssim: 0.97, psnrDb: 37 })), steps: [message('exact')] },
  }))
  const verdictOf = (result: string) =>
    checkInventory({
      format: eml.format,
      output: 'eml',
      original: sourceOf(MAIL),
      result: sourceOf(result),
      quality: 'low',
      metadata: undefined,
      signal,
    })

  const DAMAGES: readonly (readonly [kind: string, pattern: RegExp, replacement: string])[] = [
    ['headers', /Ada <ada/, 'Bob <ada'],
    ['headers', /Subject: =\S+\r\n of the house\r\n/, ''],
    ['headers_of_parts', /Content-Language: en\r\n/, ''],
    ['headers_of_parts', /<house@example/, '<hut@example'],
    ['parts', /filename="house\.jpg"/, 'filename="hut.jpg"'],
    ['parts', /--outer\r\nContent-Type: message[\s\S]*(?=--outer--)/, ''],
    ['texts', /=3D/, '=3E'],
    ['texts', /Old text/, 'New text'],
    ['texts', /<p>Hello<\/p>/, '<p>Hello</p> '],
    ['attachments', /BwcH/, 'BwcI'],
    ['attachments', /name=key\.bin/, 'name=key2.bin'],
  ]

  it('is rejected, whatever is missing', async () => {
    const { outcome, bytes } = await press(eml, Buffer.from(MAIL, 'latin1'), 'medium', inner, 'eml')
    expect(outcome.kind).toBe('compressed')
    const result = Buffer.from(bytes).toString('latin1')
    expect((await verdictOf(result)).kind).toBe('kept')
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...DAMAGES), async ([kind, pattern, replacement]) => {
        const damaged = result.replace(pattern, replacement)
        expect([pattern, damaged === result]).toEqual([pattern, false])
        const verdict = await verdictOf(damaged)
        expect([pattern, verdict.kind]).toEqual([pattern, 'lost'])
        const [before, after] = await Promise.all([inventoryOf(result), inventoryOf(damaged)])
        expect(after[kind]).not.toEqual(before[kind])
      }),
    )
  })

  it('is accepted if an attachment of a known format was recompressed', async () => {
    const withPdf = (pdf: string) =>
      `Content-Type: application/pdf; name=a.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n${lines(Buffer.from(pdf))}\r\n`
    const check = (result: string) =>
      checkInventory({
        format: eml.format,
        output: 'eml',
        original: sourceOf(withPdf('%PDF-1.7 long')),
        result: sourceOf(withPdf(result)),
        quality: 'low',
        metadata: undefined,
        signal,
      })
    expect((await check('%PDF-1.7')).kind).toBe('kept')
    expect((await check('PK\x03\x04')).kind).toBe('lost')
  })
})

describe('hostile mails', () => {
  it('are read to their end', async () => {
    const bytes = Buffer.from(MAIL, 'latin1')
    for (let length = 0; length < bytes.length; length += 97)
      expect(await emlInventory.read(sourceOf(bytes.subarray(0, length)), signal)).toBeInstanceOf(Map)
    const nested = Array.from({ length: 3000 }, (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\r\n\r\n--b${i}\r\n`).join('')
    for (const text of [
      nested,
      'Content-Type: message/rfc822\r\n\r\n'.repeat(5000),
      `Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\n'.repeat(50_000)}`,
      `A: ${'x'.repeat(500_000)}\r\n${' y\r\n'.repeat(50_000)}`,
      '--\n'.repeat(200_000),
      `\r\n${'a'.repeat(300_000)}`,
      'Content-Type: multipart/mixed; boundary=""\r\n\r\n--\r\n--\r\n',
      `Content-Type: a/b; ${'name*0=x;'.repeat(5000)}`,
    ])
      expect((await emlInventory.read(sourceOf(text), signal)).size).toBeGreaterThan(0)
  })
})

/** Checks the line breaks between objects that PDF/A requires (ISO 19005-2, 6.1.7.1 and 6.1.9), for every code path that writes a PDF. */
import { readFileSync } from 'node:fs'
import { inflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { encryptPdf } from '../../../../src/core/formats/pdf/encrypt.ts'
import { memorySink } from '../../../../src/core/model/sink.ts'
import { memorySource } from '../../../../src/core/model/source.ts'
import { buildPdf, linearised, plainDocument } from './build.ts'
import { press } from './run.ts'

const document = buildPdf(plainDocument(6, ['<</Title(A title)/Author<feff00e4>>>']), { trailer: '/Info 15 0 R' })
const archive = [
  { dict: '/Type/Metadata/Subtype/XML', data: '<rdf:Description xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/" pdfaid:part="1"/>' },
]
const archived = buildPdf(plainDocument(6, archive, '/Metadata 15 0 R'))

async function encrypted(bytes: Uint8Array): Promise<Uint8Array> {
  const sink = memorySink(1 << 24, 'x.pdf')
  await encryptPdf(memorySource(bytes, 'x.pdf'), sink, 'password')
  return sink.bytes()
}
const restricted = () => new Uint8Array(readFileSync(new URL('../../../fixtures/pdf/aes-256.pdf', import.meta.url)))

const WRITERS: [name: string, write: () => Promise<Uint8Array>, sign: string][] = [
  ['with object streams', async () => (await press(document)).bytes, '/ObjStm'],
  ['with a table', async () => (await press(archived)).bytes, '\nxref\n'],
  ['linearised, with object streams', async () => (await press(linearised('1.7'))).bytes, '/Linearized'],
  ['linearised, with tables', async () => (await press(linearised('1.4'))).bytes, '/Linearized'],
  ['under a password', async () => encrypted(document), '/AESV3'],
  ['under a password, with a table', async () => encrypted(archived), '/AESV3'],
  ['restricted', async () => (await press(restricted())).bytes, '/Encrypt'],
]

const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1')

/** Reads all objects of a file in order and reports missing line breaks. */
function readObjects(text: string): { count: number; streams: number; faults: string[] } {
  const faults: string[] = []
  const demand = (good: boolean, fault: string) => good || faults.push(fault)
  const heads = /(\d+) (\d+) obj/g
  let [count, streams] = [0, 0]
  for (let head = heads.exec(text); head; head = heads.exec(text)) {
    count++
    const label = head[0]
    demand(/[\r\n]/.test(text[head.index - 1] ?? ''), `${label} continues a line`)
    demand(/[\r\n]/.test(text[heads.lastIndex] ?? ''), `no end of line after ${label}`)
    let end = text.indexOf('endobj', heads.lastIndex)
    const stream = /(?<!end)stream/g
    stream.lastIndex = heads.lastIndex
    const start = stream.exec(text)?.index ?? text.length
    if (start < end) {
      streams++
      const length = /\/Length (\d+)/.exec(text.slice(heads.lastIndex, start))?.[1]
      const data = /\r?\n/y
      data.lastIndex = start + 'stream'.length
      demand(data.test(text), `no end of line after stream of ${label}`)
      const tail = text.slice(data.lastIndex + Number(length))
      demand(/^\r?\nendstream\r?\nendobj/.test(tail), `${label}: ${JSON.stringify(tail.slice(0, 20))} after the data`)
      end = text.indexOf('endobj', data.lastIndex + Number(length))
    }
    demand(/[\r\n]/.test(text[end - 1]!), `endobj of ${label} continues a line`)
    demand(/[\r\n]/.test(text[end + 'endobj'.length]!), `no end of line after endobj of ${label}`)
    heads.lastIndex = end
  }
  return { count, streams, faults }
}

describe.each(WRITERS)('a PDF %s', (_, write, sign) => {
  it('has every line break that PDF/A requires', async () => {
    const text = latin1(await write())
    expect(text).toContain(sign)
    const { count, streams, faults } = readObjects(text)
    expect(faults).toEqual([])
    expect(count).toBeGreaterThan(2)
    expect(streams).toBeGreaterThan(0)
    expect(text).toMatch(/^%PDF-\d\.\d\n%[\x80-\xff]{4}\n/)
    expect(text).toMatch(/\nstartxref\n\d+\n%%EOF\n$/)
    for (const table of text.matchAll(/\nxref(.{0,20})/gs)) expect(table[1]).toMatch(/^\n\d+ \d+\n\d{10} /)
  })
})

describe('a cross-reference stream', () => {
  it('uses only the PNG filter "up", which every PDF reader decodes correctly', async () => {
    const { bytes } = await press(buildPdf(plainDocument(120)))
    const text = latin1(bytes)
    const dict = /<<\/Type\/XRef[^>]*\/DecodeParms<<\/Predictor 12\/Columns (\d+)>>\/Length (\d+)>>stream\n/.exec(text)!
    const data = dict.index + dict[0].length
    const rows = inflateSync(bytes.subarray(data, data + Number(dict[2])))
    const row = Number(dict[1]) + 1
    expect(rows.length).toBeGreaterThan(100 * row)
    expect(rows.length % row).toBe(0)
    for (let at = 0; at < rows.length; at += row) expect(rows[at]).toBe(2)
  })
})

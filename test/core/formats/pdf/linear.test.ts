import { describe, expect, it } from 'vitest'
import { Lexer } from '../../../../src/core/formats/pdf/lexer.ts'
import { isLinearised } from '../../../../src/core/formats/pdf/linear/linearise.ts'
import { Dict, latin1, numberOr, type PdfObject } from '../../../../src/core/formats/pdf/objects.ts'
import { walkPages } from '../../../../src/core/formats/pdf/reachable-objects.ts'
import { Reader } from '../../../../src/core/formats/pdf/reader.ts'
import { memorySource } from '../../../../src/core/model/source.ts'
import { textsOf } from '../../../support/in-english.ts'
import { linearised } from './build.ts'
import { press } from './run.ts'

async function dictionaryOf(bytes: Uint8Array): Promise<Dict> {
  const text = latin1(bytes.subarray(0, 1024))
  const object = new Lexer(bytes, text.indexOf('<</Linearized')).object()
  expect(object).toBeInstanceOf(Dict)
  return object as Dict
}

const integer = (object: PdfObject | undefined) => numberOr(object, Number.NaN)

describe.each(['1.4', '1.7'])('linearised files, PDF %s', (version) => {
  it('stay linearised with correct hint tables', async () => {
    const source = linearised(version)
    expect(await isLinearised(await Reader.open(memorySource(source, 'a.pdf')))).toBe(true)
    const { outcome, bytes } = await press(source, 'high')
    expect(outcome).toMatchObject({ kind: 'compressed' })
    if (outcome.kind === 'compressed') expect(textsOf(outcome.steps)).toContain('linearised as before (fast web view)')
    const reader = await Reader.open(memorySource(bytes, 'b.pdf'))
    expect(reader.repaired).toBe(false)
    expect(await isLinearised(reader)).toBe(true)
    const root = (await reader.dict(reader.trailer.get('Root')))!
    const pages = [...(await walkPages(reader, root)).leaves]
    const dict = await dictionaryOf(bytes)
    expect(integer(dict.get('L'))).toBe(bytes.length)
    expect(integer(dict.get('N'))).toBe(pages.length)
    expect(integer(dict.get('O'))).toBe(pages[0])
    // All objects of the first page are before offset /E, all objects of other pages after it.
    const end = integer(dict.get('E'))
    for (const [page, number] of pages.entries()) expect(reader.xref.place(number) < end).toBe(page === 0)
    // Page offset hint table: offset of the first page, and number of objects for each page.
    const [at, length] = dict.get('H') as number[]
    const hint = new Lexer(bytes, latin1(bytes).indexOf('<<', at)).object()
    expect(hint).toBeInstanceOf(Dict)
    const data = latin1(bytes).indexOf('stream\n', at) + 7
    const view = new DataView(bytes.buffer, bytes.byteOffset + data)
    expect(view.getUint32(4) + length!).toBe(reader.xref.place(pages[0]!))
    expect(view.getUint32(0)).toBeGreaterThanOrEqual(2)
  })

  it('are no longer linearised after an incremental update', async () => {
    const source = linearised(version)
    const longer = new Uint8Array([...source, 10])
    expect(await isLinearised(await Reader.open(memorySource(longer, 'a.pdf')))).toBe(false)
    const { outcome } = await press(longer, 'high')
    if (outcome.kind === 'compressed') expect(textsOf(outcome.steps)).not.toContain('linearised as before (fast web view)')
  })
})

it('does not linearise a document whose pages inherit attributes', async () => {
  const source = latin1(linearised('1.7')).replace('<</Type/Pages/Kids', '<</Rotate 0/Type/Pages/Kids')
  const shift = '/Rotate 0'.length
  const moved = source
    .replace(/^(\d{10}) 00000 n/gm, (line, offset: string) =>
      Number(offset) > source.indexOf('2 0 obj') ? `${String(Number(offset) + shift).padStart(10, '0')} 00000 n` : line,
    )
    .replace(/startxref\n(\d+)/, (_, offset: string) => `startxref\n${Number(offset) + shift}`)
    .replace(/\/L (\d{10})/, (_, size: string) => `/L ${String(Number(size) + shift).padStart(10, '0')}`)
  const { outcome, bytes } = await press(
    Uint8Array.from(moved, (c) => c.charCodeAt(0)),
    'high',
  )
  expect(outcome).toMatchObject({ kind: 'compressed' })
  expect(latin1(bytes.subarray(0, 1024))).not.toContain('/Linearized')
})

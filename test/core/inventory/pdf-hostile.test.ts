import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { Inventory } from '../../../src/core/inventory/inventory.ts'
import { pdfInventory } from '../../../src/core/inventory/pdf.ts'
import { CodecError } from '../../../src/core/model/error.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { damagePositions } from '../../support/thorough.ts'
import { buildPdf, flate, type Part, plainDocument } from '../formats/pdf/build.ts'
import { pressAlone } from '../formats/pdf/run.ts'
import { richPdf } from './pdf-files.ts'

const SIGNAL = new AbortController().signal
const bytesOf = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0))
const inventoryOf = (bytes: Uint8Array) => pdfInventory.read(memorySource(bytes, 'x.pdf'), SIGNAL)

/** Reads a file that may be unreadable. Any other error than a `CodecError` fails the test. */
async function tried(bytes: Uint8Array): Promise<Inventory | CodecError> {
  try {
    return await inventoryOf(bytes)
  } catch (error) {
    if (error instanceof CodecError) return error
    throw error
  }
}

/** A document whose catalog has these entries, with further objects from number 3. */
const documentWith = (catalog: string, ...objects: Part[]) =>
  buildPdf([`<</Type/Catalog/Pages 2 0 R${catalog}>>`, '<</Type/Pages/Kids[]/Count 0>>', ...objects])

describe('damaged and hostile PDF', () => {
  it('gives an inventory or an error wherever it is cut', async () => {
    const whole = richPdf()
    for (const length of damagePositions(0, whole.length, 24)) {
      const outcome = await tried(whole.subarray(0, length))
      if (!(outcome instanceof CodecError)) expect(outcome.get('pages')?.get('page') ?? 0).toBeLessThanOrEqual(2)
    }
    const { bytes } = await pressAlone(whole, 'medium')
    for (const length of damagePositions(0, bytes.length, 13)) await tried(bytes.subarray(0, length))
  })

  it('gives an inventory or an error if single bytes are wrong', async () => {
    const { bytes } = await pressAlone(richPdf(), 'medium')
    for (const at of damagePositions(0, bytes.length, 10)) {
      const damaged = bytes.slice()
      damaged[at]! ^= 0x55
      await tried(damaged)
    }
  })

  it.each([
    [
      'a page tree',
      buildPdf(['<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Kids[2 0 R 3 0 R]/Parent 2 0 R>>', '<</Type/Pages/Kids[2 0 R]>>']),
    ],
    ['bookmarks', documentWith('/Outlines 3 0 R', '<</First 4 0 R>>', '<</Title(a)/Next 4 0 R/First 4 0 R>>')],
    ['a name tree', documentWith('/Names<</Dests 3 0 R>>', '<</Kids[3 0 R 4 0 R]>>', '<</Kids[3 0 R]/Names[(a)[0 /Fit]]>>')],
    ['form fields', documentWith('/AcroForm<</Fields[3 0 R]>>', '<</T(a)/Kids[3 0 R 3 0 R]>>')],
    ['tags', documentWith('/StructTreeRoot 3 0 R', '<</K 4 0 R>>', '<</S/P/K[4 0 R 3 0 R]>>')],
    ['beads', documentWith('/Threads[3 0 R]', '<</F 4 0 R/I 4 0 R>>', '<</N 4 0 R/I 3 0 R>>')],
    ['references', documentWith('/Lang 3 0 R', '4 0 R', '3 0 R')],
    ['actions', documentWith('/OpenAction 3 0 R', '<</S/Named/N/NextPage/Next[3 0 R 3 0 R]>>')],
    ['resources', buildPdf([...plainDocument(1), { dict: '/Subtype/Form/Resources<</XObject<</A 5 0 R>>>>', data: 'x' }])],
    ['parents of a page', buildPdf(['<</Type/Catalog/Pages 2 0 R>>', '<</Kids[3 0 R]/Parent 2 0 R>>', '<</Type/Page/Parent 2 0 R>>'])],
  ])('ends at a loop in %s', async (_, bytes) => {
    expect(await inventoryOf(bytes)).toBeInstanceOf(Map)
  })

  it('ends at a loop of cross-reference sections', async () => {
    const text = Buffer.from(buildPdf(plainDocument(1))).toString('latin1')
    const start = /startxref\n(\d+)/.exec(text)![1]
    const looped = await inventoryOf(bytesOf(text.replace('/Root 1 0 R', `/Root 1 0 R/Prev ${start}`)))
    expect(looped.get('pages')).toEqual(new Map([['page', 1]]))
  })

  it.each([
    ['of arrays', `${'['.repeat(100_000)}`],
    ['of dictionaries', `${'<</A'.repeat(100_000)}`],
    ['of closed arrays', `${'['.repeat(5000)}${']'.repeat(5000)}`],
  ])('limits the nesting %s', async (_, text) => {
    const outcome = await tried(documentWith('/Lang 3 0 R', text))
    if (!(outcome instanceof CodecError)) expect(outcome.has('document_properties')).toBe(false)
  })

  it('limits values that refer to the same values again and again', async () => {
    const levels = Array.from({ length: 7 }, (_, level) => `[${`${level + 4} 0 R `.repeat(200)}]`)
    const inventory = await inventoryOf(documentWith('/Lang 3 0 R', ...levels, '(end)'))
    expect([...(inventory.get('document_properties')?.keys() ?? [])]).toHaveLength(1)
  })

  it('limits the expansion of object streams', async () => {
    const bomb = deflateSync(new Uint8Array(40_000_000), { level: 9 })
    const stream = { dict: '/Type/ObjStm/N 1/First 4/Filter/FlateDecode', data: new Uint8Array(bomb) }
    expect(await tried(buildPdf(['<</Type/Nothing>>', stream], { trailer: '/Prev 0' }))).toBeInstanceOf(CodecError)
    const twice = { dict: '/Type/Metadata/Filter[/FlateDecode/FlateDecode]', data: flate(bomb) }
    expect((await inventoryOf(documentWith('/Metadata 3 0 R', twice))).get('xmp_properties')?.size).toBe(1)
  })

  it('reads a stream of 60 MB in pieces', async () => {
    const data = deflateSync(new Uint8Array(60_000_000), { level: 1 })
    const file = { dict: '/Filter/FlateDecode', data: new Uint8Array(data) }
    const inventory = await inventoryOf(documentWith('/Names<</EmbeddedFiles<</Names[(a) 3 0 R]>>>>', '<</EF<</F 4 0 R>>>>', file))
    expect([...(inventory.get('attachments')?.keys() ?? [])][0]).toMatch(/^a = 60000000 bytes #/)
  })

  it('reads white space in metadata and around keywords in linear time', async () => {
    const xmp = { dict: '/Type/Metadata', data: `<a>${' '.repeat(400_000)}</a>${'\0 '.repeat(200_000)}x` }
    expect((await inventoryOf(documentWith('/Metadata 3 0 R', xmp))).get('xmp_properties')?.size).toBe(1)
    const spaces = bytesOf(`1 ${' '.repeat(500_000)}0 obj`.repeat(3))
    expect(await tried(spaces)).toBeInstanceOf(CodecError)
  })

  it('stops when the job is aborted', async () => {
    const controller = new AbortController()
    controller.abort(new Error('stopped'))
    await expect(pdfInventory.read(memorySource(richPdf(), 'x.pdf'), controller.signal)).rejects.toThrow('stopped')
  })
})

describe('encrypted PDF', () => {
  const fixture = (name: string) => new Uint8Array(readFileSync(join(import.meta.dirname, '../../fixtures/pdf', name)))

  it.each(['rc4-40', 'rc4-128', 'aes-128', 'aes-256-r5', 'aes-256'])('is decrypted with the empty password (%s)', async (name) => {
    const original = fixture(`${name}.pdf`)
    const before = await inventoryOf(original)
    const [permissions] = [...(before.get('permissions')?.keys() ?? [])]
    expect(permissions).toContain(name.startsWith('rc4') ? 'RC4' : name.startsWith('aes-256') ? 'AES-256' : 'AES-128')
    for (const item of before.get('document_information')?.keys() ?? []) expect(item).toMatch(/^\w+ =( [\x20-\x7e]+)?$/)
    const { outcome, bytes } = await pressAlone(original, 'medium')
    if (outcome.kind === 'compressed') expect(await inventoryOf(bytes)).toEqual(before)
  })

  it('needs no password, or gives an error', async () => {
    expect(await tried(fixture('user-password.pdf'))).toMatchObject({ reason: 'encrypted' })
  })
})

/** `whittle FILES --zip out.zip`: all results and their receipts in one ZIP. */
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { unzipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../pack.ts'
import { inFolder } from './folder.ts'
import { whittle } from './run.ts'

const TEXT = Array.from({ length: 300 }, (_, i) => `line ${i}: the quick brown fox\n`).join('')

const here = inFolder()
const { createFiles, list } = here
const run = (args: readonly string[], stdin = '') => whittle(here.folder, '', args, stdin)
const read = (name: string) => readFileSync(join(here.folder, name))
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
/** Names in the folder, hidden ones too. */
const everything = () => readdirSync(here.folder).filter((name) => name !== '.state' && name !== '.config')

interface Receipts {
  readonly files: readonly {
    readonly name: string
    readonly receipt: { readonly file_name: string; readonly result: { sha256: string } }
  }[]
}

const receiptsIn = (zip: Record<string, Uint8Array>) => JSON.parse(Buffer.from(zip['_receipts.json']!).toString()) as Receipts

describe('with --zip, whittle', () => {
  it('packs results of equal names from several folders, and their receipts, and leaves nothing else', async () => {
    for (const folder of ['a', 'b']) mkdirSync(join(here.folder, folder))
    for (const path of ['a/photo.jpg', 'b/PHOTO.JPG']) cpSync(join(ROOT, 'docs/photo.jpg'), join(here.folder, path))
    createFiles({ 'a/notes.txt': TEXT, 'b/notes.txt': `${TEXT}another` })
    writeFileSync(join(here.folder, 'b/cut.jpg'), read('a/photo.jpg').subarray(0, 3000))
    const { code, out, err } = await run(['a', 'b', '--zip', 'small.zip'])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(/✓ a\/photo\.jpg: .* small\.zip\n/)
    const zip = unzipSync(read('small.zip'))
    const names = ['PHOTO-2.JPG', '_receipts.json', 'cut.jpg', 'notes-2.txt.zst', 'notes.txt.zst', 'photo.jpg']
    expect(Object.keys(zip).sort()).toEqual(names)
    const { files } = receiptsIn(zip)
    expect(files.map(({ receipt }) => receipt.file_name)).toEqual(['notes.txt', 'photo.jpg', 'PHOTO.JPG', 'cut.jpg', 'notes.txt'])
    for (const { name, receipt } of files) expect(sha256(zip[name]!), name).toBe(receipt.result.sha256)
    expect(everything().sort()).toEqual(['a', 'b', 'small.zip'])
  })

  it('packs the results of a service', async () => {
    createFiles({ 'one.jpg': undefined, 'two.jpg': undefined })
    const { code } = await here.run(['one.jpg', 'two.jpg', '--zip', 'small.zip'])
    expect(code).toBe(0)
    const zip = unzipSync(read('small.zip'))
    for (const { name, receipt } of receiptsIn(zip).files) expect(sha256(zip[name]!), name).toBe(receipt.result.sha256)
    expect(Object.keys(zip)).toHaveLength(3)
    expect(everything().sort()).toEqual(['one.jpg', 'small.zip', 'two.jpg'])
  })

  it('overwrites a ZIP only with --force, and names the entries in a dry run', async () => {
    createFiles({ 'notes.txt': TEXT, 'small.zip': 'kept' })
    expect(await run(['notes.txt', '--zip', 'small.zip'])).toMatchObject({ code: 2, err: expect.stringContaining('--force') })
    expect(read('small.zip').toString()).toBe('kept')
    expect((await run(['notes.txt', '--zip', 'new.zip', '--dry-run'])).out).toMatch(/→ new\.zip\/notes\.txt\n/)
    expect(list().sort()).toEqual(['notes.txt', 'small.zip'])
    expect((await run(['notes.txt', '--zip', 'small.zip', '--force'])).code).toBe(0)
    expect(Object.keys(unzipSync(read('small.zip')))).toEqual(['_receipts.json', 'notes.txt.zst'])
  })

  it('writes no ZIP if every file fails, and refuses other destinations', async () => {
    createFiles({ 'noise.bin': '\u0001\u0002\u0003'.repeat(1000) })
    expect((await run(['noise.bin', '--zip', 'small.zip'])).code).toBe(1)
    expect(everything()).toEqual(['noise.bin'])
    for (const other of [['-o', 'out'], ['--watch']])
      expect((await run(['noise.bin', '--zip', 'small.zip', ...other])).code, other[0]).toBe(2)
    expect((await run(['-', '--zip', 'small.zip'], 'text')).code).toBe(2)
  })
})

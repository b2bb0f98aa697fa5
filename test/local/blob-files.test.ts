import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { BlobFiles } from '../../src/local/blob-files.ts'

let root: string
let downloads: string[]
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'whittle-blobs-'))
  downloads = []
})
afterEach(() => rmSync(root, { recursive: true }))

const open = (bytes: number, ms = 60_000) =>
  new BlobFiles(
    join(root, 'kept'),
    async (key, path) => {
      downloads.push(key)
      if (key === 'gone') throw new Error('the blob is gone')
      writeFileSync(path, key.repeat(10))
    },
    { bytes, ms },
  )

function folder(name: string): string {
  const path = join(root, name)
  mkdirSync(path)
  return path
}

it('downloads a blob once for all steps that read it at the same time', async () => {
  const blobs = open(1000)
  const [one, two] = [folder('one'), folder('two')]
  const links = await Promise.all([blobs.linkInto('uploads/a', one), blobs.linkInto('uploads/a', two)])
  expect(downloads).toEqual(['uploads/a'])
  expect(readFileSync(join(two, 'uploads~a'), 'utf8')).toBe('uploads/a'.repeat(10))
  for (const file of links) await file[Symbol.asyncDispose]()
})

it('deletes the oldest unused files above the size limit, and never files in use', async () => {
  const blobs = open(90)
  const [first, second, third] = ['one', 'two', 'three'].map(folder)
  await using _ = await blobs.linkInto('a23456789', first!)
  await (await blobs.linkInto('b23456789', second!))[Symbol.asyncDispose]()
  await (await blobs.linkInto('c23456789', third!))[Symbol.asyncDispose]()
  expect(readdirSync(join(root, 'kept')).sort()).toEqual(['a23456789', 'c23456789'])
  // The step that linked the file still has its bytes.
  expect(existsSync(join(second!, 'b23456789'))).toBe(true)
})

it('deletes downloaded and added files after the idle time', async () => {
  const blobs = open(1000, 50)
  const path = folder('one')
  const used = await blobs.linkInto('uploads/a', path)
  await (await blobs.linkInto('uploads/b', path))[Symbol.asyncDispose]()
  writeFileSync(join(path, 'made'), 'made')
  await blobs.addUploaded('parts/1', join(path, 'made'))
  await expect.poll(() => readdirSync(join(root, 'kept'))).toEqual(['uploads~a'])
  const secondLink = await blobs.linkInto('uploads/a', folder('two'))
  await used[Symbol.asyncDispose]()
  await sleep(100)
  expect(existsSync(join(root, 'kept/uploads~a'))).toBe(true)
  await secondLink[Symbol.asyncDispose]()
  await expect.poll(() => readdirSync(join(root, 'kept'))).toEqual([])
})

it('repeats a failed download at the next request', async () => {
  const blobs = open(1000)
  const path = folder('one')
  await expect(blobs.linkInto('gone', path)).rejects.toThrow('the blob is gone')
  await expect(blobs.linkInto('gone', path)).rejects.toThrow('the blob is gone')
  expect(downloads).toEqual(['gone', 'gone'])
})

it('reuses the file of a blob that was just uploaded', async () => {
  const blobs = open(1000)
  const path = folder('one')
  writeFileSync(join(path, 'made'), 'made')
  await blobs.addUploaded('parts/1', join(path, 'made'))
  rmSync(path, { recursive: true })
  await using _ = await blobs.linkInto('parts/1', folder('two'))
  expect(downloads).toEqual([])
  expect(readFileSync(join(root, 'two/parts~1'), 'utf8')).toBe('made')
})

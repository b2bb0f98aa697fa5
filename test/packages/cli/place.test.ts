/** Where results are saved, and which files stay unchanged. */
import { chmodSync, existsSync, readFileSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { inFolder } from './folder.ts'
import { whittleInBackground } from './run.ts'

const here = inFolder()
const { createFiles, list, size, run } = here

describe('-o with a file name', () => {
  it('saves one result under that name, in the format of its extension', async () => {
    createFiles({ 'photo.jpg': undefined, 'notes.jpeg': undefined })
    expect(await run(['photo.jpg', '-o', 'small/p.webp'])).toMatchObject({ code: 0, out: expect.stringContaining(' small/p.webp\n') })
    expect(await run(['notes.jpeg', '-o', 'n.jpg'])).toMatchObject({ code: 0 })
    expect(list()).toEqual(['n.jpg', 'notes.jpeg', 'photo.jpg', 'small/p.webp'])
    expect(here.service.wishes.map(({ format }) => format)).toEqual(['webp', undefined])
  })

  it('means a folder with a trailing slash, without an extension, or if the folder exists', async () => {
    createFiles({ 'photo.jpg': undefined, 'v1.2/old.txt': undefined })
    for (const out of ['a.b/', 'plain', 'v1.2']) expect(await run(['photo.jpg', '-o', out])).toMatchObject({ code: 0 })
    expect(list()).toEqual(['a.b/photo.jpg', 'photo.jpg', 'plain/photo.jpg', 'v1.2/old.txt', 'v1.2/photo.jpg'])
  })

  it('overwrites nothing without --force, and refuses a folder as input', async () => {
    createFiles({ 'photo.jpg': undefined, 'mine.jpg': 'mine', 'in/a.txt': undefined })
    const refused = await run(['photo.jpg', '-o', 'mine.jpg'])
    expect(refused).toMatchObject({ code: 1, out: expect.stringContaining('mine.jpg already exists. Use --force to overwrite it') })
    expect(readFileSync(join(here.folder, 'mine.jpg'), 'utf8')).toBe('mine')
    expect(list()).toHaveLength(3)
    expect(await run(['photo.jpg', '-o', 'mine.jpg', '--force'])).toMatchObject({ code: 0 })
    expect(size('mine.jpg')).toBe(500)
    expect(await run(['in', '-o', 'all.txt'])).toMatchObject({
      code: 2,
      err: 'all.txt is a file name, but in is a folder. Pass a folder with --out.\n',
    })
  })
})

describe('several inputs', () => {
  it('refuse a file name for the results', async () => {
    createFiles({ 'a.txt': undefined, 'b.txt': undefined })
    expect(await run(['a.txt', 'b.txt', '-o', 'all.zip'])).toMatchObject({
      code: 2,
      err: 'all.zip is a file name, but there are 2 inputs. Pass a folder with --out, for example all.zip/.\n',
    })
    expect(list()).toEqual(['a.txt', 'b.txt'])
  })

  it('may be a pattern that the shell did not expand', async () => {
    createFiles({ 'in/a.txt': undefined, 'in/b.txt': undefined, 'in/c.md': undefined, '[x].txt': undefined })
    expect(await run(['in/*.txt', '[x].txt', '-o', 'out'])).toMatchObject({ code: 0 })
    expect(here.service.received.sort()).toEqual(['[x].txt', 'a.txt', 'b.txt'])
    expect(await run(['in/*.png'])).toMatchObject({ code: 2, err: "No file matches 'in/*.png'.\n" })
  })
})

describe('-o -', () => {
  it('writes the result of a file to standard output, and nothing else', async () => {
    createFiles({ 'a.txt': 'y'.repeat(1000) })
    expect(await run(['a.txt', '-o', '-'])).toEqual({
      code: 0,
      out: 'y'.repeat(500),
      err: '✓ a.txt: 1.00 kB → 500 B (−50.0%) standard output\n',
    })
    expect(list()).toEqual(['a.txt'])
    expect(await run(['a.txt', 'a.txt', '-o', '-'])).toMatchObject({ code: 2, err: "'-o -' needs one input, got 2.\n" })
    expect(await run(['a.txt', '-o', '-', '--json'])).toMatchObject({ code: 2, out: '' })
  })
})

describe('--in-place', () => {
  it('leaves the kept originals alone, also if they are named', async () => {
    createFiles({ 'a.txt': undefined })
    await run(['a.txt', '-i'])
    expect(await run(['a.txt', 'a.original.txt', '-i'])).toMatchObject({ code: 0, err: '' })
    expect(here.service.received).toEqual(['a.txt'])
    expect(list()).toEqual(['a.original.txt', 'a.txt'])
  })

  it('keeps the original and its permissions and time, and skips the file in a second run', async () => {
    createFiles({ 'in/photo.jpg': undefined })
    const path = join(here.folder, 'in/photo.jpg')
    chmodSync(path, 0o640)
    utimesSync(path, 1e9, 1e9)
    expect(await run(['in', '--in-place'])).toMatchObject({ code: 0 })
    expect([size('in/photo.jpg'), size('in/photo.original.jpg')]).toEqual([500, 1000])
    expect([statSync(path).mode & 0o777, statSync(path).mtimeMs]).toEqual([0o640, 1e12])
    expect(await run(['in', '--in-place'])).toMatchObject({ code: 0, out: expect.stringContaining('· in/photo.jpg: already compressed') })
    expect([size('in/photo.jpg'), size('in/photo.original.jpg'), here.service.received]).toEqual([500, 1000, ['photo.jpg']])
  })

  it('keeps the first original with --force, and none with --no-backup', async () => {
    createFiles({ 'a.txt': undefined, 'b.txt': undefined })
    await run(['a.txt', '-i'])
    await run(['a.txt', '-i', '--force'])
    await run(['b.txt', '-i', '--no-backup'])
    expect(list().map((name) => [name, size(name)])).toEqual([
      ['a.original.txt', 1000],
      ['a.txt', 250],
      ['b.txt', 500],
    ])
  })

  it('skips its own results without a backup, until they are edited or --force is passed', async () => {
    createFiles({ 'a.txt': undefined })
    await run(['a.txt', '-i', '--no-backup'])
    expect(await run(['a.txt', '-i', '--no-backup'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('· a.txt: already compressed'),
    })
    expect([size('a.txt'), here.service.received]).toEqual([500, ['a.txt']])
    await run(['a.txt', '-i', '--no-backup', '--force'])
    expect(size('a.txt')).toBe(250)
    createFiles({ 'a.txt': 'edited' })
    await run(['a.txt', '-i', '--no-backup'])
    expect(size('a.txt')).toBe(3)
  })

  it('does not replace a file with another format, and refuses --out', async () => {
    createFiles({ 'photo.jpg': undefined })
    expect(await run(['photo.jpg', '-i', '-f', 'webp'])).toMatchObject({ code: 0 })
    expect(list().map((name) => [name, size(name)])).toEqual([
      ['photo.jpg', 1000],
      ['photo.webp', 500],
    ])
    expect(await run(['photo.jpg', '-i', '-o', 'out'])).toMatchObject({ code: 2 })
  })
})

describe('a second run', () => {
  it('ignores the results of the first run', async () => {
    createFiles({ 'in/a.txt': undefined, 'in/b.original.txt': undefined })
    await run(['in'])
    await run(['in', '-o', 'in/out'])
    await run(['in', '-o', 'in/out', '--skip-existing'])
    expect(here.service.received.sort()).toEqual(['a.txt', 'a.txt', 'b.original.txt', 'b.original.txt'])
    await run(['in', '-o', 'in/out', '--force'])
    expect(list('in')).toEqual(['a.txt', 'a.whittled.txt', 'b.original.txt', 'b.whittled.original.txt', 'out/a.txt', 'out/b.original.txt'])
  })

  it('with --skip-existing sends only new files and reports the skipped ones', async () => {
    createFiles({ 'in/a.txt': undefined, 'in/b.txt': undefined, 'out/a.txt.zst': undefined })
    const { out } = await run(['in', '-o', 'out', '--skip-existing'])
    expect(out).toEqual(
      expect.stringMatching(
        /^· in\/a\.txt: skipped, out\/a\.txt\.zst already exists\n✓ in\/b\.txt: 1\.00 kB → 500 B \(−50\.0%\) out\/b\.txt\n1 file: 1\.00 kB → 500 B, 50\.0% saved \(500 B\) in \S+ s, 1 skipped\n$/,
      ),
    )
  })
})

describe('before anything is sent', () => {
  it('--dry-run prints the plan without contacting the service', async () => {
    createFiles({ 'in/a.txt': undefined, 'in/b.txt': undefined })
    const { code, out } = await run(['in', '-o', 'out', '--dry-run', '--server', 'http://127.0.0.1:1'])
    expect({ code, out }).toEqual({
      code: 0,
      out: 'in/a.txt: 1.00 kB → out/a.txt\nin/b.txt: 1.00 kB → out/b.txt\n2 files: 2.00 kB would be compressed (dry run)\n',
    })
    expect([here.service.received, list()]).toEqual([[], ['in/a.txt', 'in/b.txt']])
  })

  it('reads a password from standard input, and refuses an empty one', async () => {
    createFiles({ 'a.txt': undefined })
    expect(await run(['a.txt', '--password-stdin'], 'pass word\nrest')).toMatchObject({ code: 0 })
    expect(here.service.wishes).toEqual([{ quality: 'medium', password: 'pass word' }])
    expect(await run(['a.txt', '--password-stdin'], '\n')).toMatchObject({
      code: 2,
      err: 'No password found: the first line of standard input is empty.\n',
    })
  })
})

describe('watch', () => {
  it('compresses new files once they are complete, and again after a change', async () => {
    createFiles({ 'in/before.txt': undefined, 'in/old.txt': undefined, 'out/old.txt.zst': undefined })
    const watching = whittleInBackground(here.folder, here.service.baseUrl, ['watch', 'in', '-o', 'out', '--quiet'])
    const ended = new Promise((done) => watching.once('close', done))
    const until = async (isThere: () => boolean) => {
      while (!isThere()) await new Promise((later) => setTimeout(later, 50))
    }
    await until(() => existsSync(join(here.folder, 'out/before.txt')))
    createFiles({ 'in/deep/new.txt': undefined })
    await until(() => existsSync(join(here.folder, 'out/deep/new.txt')))
    createFiles({ 'in/deep/new.txt': 'y'.repeat(3000) })
    await until(() => existsSync(join(here.folder, 'out/deep/new-2.txt')))
    watching.kill('SIGINT')
    expect(await ended).toBe(0)
    expect([list('out'), here.service.received]).toEqual([
      ['before.txt', 'deep/new-2.txt', 'deep/new.txt', 'old.txt.zst'],
      ['before.txt', 'new.txt', 'new.txt'],
    ])
  })
})

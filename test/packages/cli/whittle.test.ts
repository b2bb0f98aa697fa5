/** The command line against a double of the service. test/e2e/client.test.ts runs it against the real one. */
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { inFolder } from './folder.ts'
import { whittle, whittleOnTerminal } from './run.ts'
import { Screen } from './screen.ts'
import { fakeService } from './service.ts'

const place = inFolder()
const { lay } = place

const lines = (text: string) => text.split('\n').filter((line) => line.trim() !== '')

async function seenOnTerminal(...args: string[]): Promise<string[]> {
  const screen = new Screen(80)
  const { out } = await whittleOnTerminal(place.folder, place.service.baseUrl, args)
  screen.write(out)
  return lines(screen.text)
}

describe.runIf(process.platform === 'linux')('on a terminal', () => {
  it('shows where the result of a single file is', async () => {
    lay({ 'photo.jpg': undefined })
    expect(await seenOnTerminal('photo.jpg', '-o', 'out')).toEqual([
      '✓ photo.jpg: 1.00 kB → 500 B (−50.0%) out/photo.jpg',
      '1 file: 1.00 kB → 500 B, 50.0% saved',
    ])
  })

  it('shows why a single file failed', async () => {
    lay({ 'noise.bin': undefined })
    expect((await seenOnTerminal('noise.bin'))[0]).toBe('✗ noise.bin: noise.bin has no format that Whittle knows.')
  })

  it('shows a line for every file, the last one too, and no rest of a bar', async () => {
    lay({ 'in/a.txt': undefined, 'in/b.bin': undefined, 'in/c.txt': undefined, 'in/d.txt': undefined, 'in/e.txt': undefined })
    const seen = await seenOnTerminal('in', '-o', 'out', '-j', '2')
    expect(seen.map((line) => line.slice(0, 10)).sort()).toEqual([
      '5 files: 5',
      '✓ in/a.txt',
      '✓ in/c.txt',
      '✓ in/d.txt',
      '✓ in/e.txt',
      '✗ in/b.bin',
    ])
  })

  it('paints the sign of a line, unless NO_COLOR is set', async () => {
    lay({ 'photo.jpg': undefined })
    const painted = await whittleOnTerminal(place.folder, place.service.baseUrl, ['photo.jpg'], 'TERM=xterm')
    expect(painted.out).toContain('\u001b[32m✓\u001b[39m photo.jpg')
    const plain = await whittleOnTerminal(place.folder, place.service.baseUrl, ['photo.jpg'], 'TERM=xterm NO_COLOR=1')
    expect(plain.out).not.toContain('\u001b[32m')
  })

  it('shows how far all of many files are', async () => {
    lay({ 'in/a.txt': undefined, 'in/b.txt': undefined })
    const { out } = await whittleOnTerminal(place.folder, place.service.baseUrl, ['in', '-o', 'out', '-j', '1'])
    expect(out).toMatch(/50% 1 of 2 files/)
  })

  it('shows the whole of a line that is wider than the terminal', async () => {
    const deep = `${'a-long-name-of-a-folder/'.repeat(5)}photo.jpg`
    lay({ [deep]: undefined })
    expect((await seenOnTerminal(deep, '-o', 'out')).join('')).toContain(`✓ ${deep}: 1.00 kB → 500 B (−50.0%) out/photo.jpg`)
  })
})

describe('files that stay at home', () => {
  const TREE = {
    'repo/.git/config': 'url = https://token@example.com',
    'repo/.git/objects/ab12': undefined,
    'repo/.env': undefined,
    'repo/.cache/page.html': undefined,
    'repo/node_modules/left/index.js': undefined,
    'repo/.gitignore': 'dist/\n*.log\n!keep.log\n/secret.txt\n',
    'repo/dist/app.js': undefined,
    'repo/debug.log': undefined,
    'repo/keep.log': undefined,
    'repo/secret.txt': undefined,
    'repo/docs/secret.txt': undefined,
    'repo/docs/.gitignore': 'draft.md\n!trace.log\n',
    'repo/docs/draft.md': undefined,
    'repo/docs/trace.log': undefined,
    'repo/photo.jpg': undefined,
  }
  const SENT = ['keep.log', 'photo.jpg', 'secret.txt', 'trace.log']
  const press = (...args: string[]) => place.run([...args, '-o', 'out'])

  it('are hidden folders, node_modules and what .gitignore names', async () => {
    lay(TREE)
    const { code, err } = await press('repo')
    expect(place.service.received.sort()).toEqual(SENT)
    expect({ code, err }).toEqual({ code: 0, err: '10 hidden or ignored left out (--hidden, --no-ignore)\n' })
    expect(readdirSync(join(place.folder, 'repo/.git/objects'))).toEqual(['ab12'])
  })

  it('are named by a .gitignore above the folder, up to the root of the repository', async () => {
    lay({ ...TREE, 'repo/docs/today.log': undefined, '.gitignore': 'docs/secret.txt\nkeep.log\n' })
    await press('repo/docs')
    expect(place.service.received.sort()).toEqual(['secret.txt', 'trace.log'])
  })

  it('are taken when they are asked for by name', async () => {
    lay(TREE)
    await press('repo/dist', 'repo/.env', 'repo/.git/config', 'repo/node_modules')
    expect(place.service.received.sort()).toEqual(['.env', 'app.js', 'config', 'index.js'])
  })

  it('are taken with --hidden and --no-ignore, each its own, and .git only with both', async () => {
    lay(TREE)
    await press('repo', '--hidden')
    expect(place.service.received.sort()).toEqual(['.env', '.gitignore', '.gitignore', ...SENT, 'page.html'].sort())
    place.service.received.length = 0
    await press('repo', '--no-ignore')
    expect(place.service.received.sort()).toEqual(['app.js', 'debug.log', 'draft.md', 'index.js', 'secret.txt', ...SENT].sort())
    place.service.received.length = 0
    await press('repo', '--no-ignore', '--hidden')
    expect(place.service.received).toHaveLength(Object.keys(TREE).length)
  })

  it('are mentioned when nothing else is there', async () => {
    lay({ 'only/.env': undefined })
    expect(await press('only')).toMatchObject({
      code: 2,
      err: 'There are no files in there: 1 hidden or ignored left out (--hidden, --no-ignore).\n',
    })
  })
})

describe('the command', () => {
  it('says what -q means, and what low and high do', async () => {
    const { out } = await place.run(['compress', '--help'])
    expect(out.replace(/\s+/g, ' ')).toMatch(
      /-q, --quality <level> quality to keep; low gives the smallest file, high the most faithful one/,
    )
  })

  it('shows its usage when it is called with nothing', async () => {
    expect(await place.run([])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^Usage: whittle [\s\S]*Examples:/),
    })
  })

  it('tells its version', async () => {
    expect(await place.run(['--version'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    })
  })

  it('says at once that nobody listens, and that an address has no scheme', async () => {
    lay({ 'photo.jpg': undefined })
    const gone = await fakeService()
    await gone.stop()
    const dead = await whittle(place.folder, gone.baseUrl, ['photo.jpg'])
    expect(dead).toMatchObject({ code: 3, err: expect.stringContaining('ECONNREFUSED') })
    const bare = await whittle(place.folder, 'localhost:8787', ['photo.jpg'])
    expect(bare).toMatchObject({ code: 2, err: expect.stringContaining("'localhost:8787' is no URL that begins with https://") })
  })
})

describe('without a server', () => {
  it('says why the embedded service did not start', async () => {
    lay({ 'photo.jpg': undefined, '.embedded': 'no folder' })
    const { code, err } = await whittle(place.folder, '', ['photo.jpg'])
    expect(code).toBe(3)
    expect(err).toMatch(/^The embedded service did not start: [\s\S]*(ENOTDIR|EEXIST)[\s\S]*\.embedded/)
  })
})

describe('a pipe', () => {
  const pipe = (args: string[], stdin: string) => place.run(args, stdin)

  it('brings a file and takes its result, and nothing else is on standard output', async () => {
    const { code, out, err } = await pipe(['-', '--name', 'notes.txt'], 'y'.repeat(1000))
    expect({ code, out, received: place.service.received }).toEqual({ code: 0, out: 'y'.repeat(500), received: ['notes.txt'] })
    expect(err).toBe('✓ -: 1.00 kB → 500 B (−50.0%) standard output\n')
  })

  it('says on standard error what went wrong, and by its exit code', async () => {
    expect(await pipe(['-', '--name', 'noise.bin'], 'noise')).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('✗ -: noise.bin has no format'),
    })
    expect(await pipe(['-', 'photo.jpg'], 'noise')).toMatchObject({ code: 2, err: expect.stringContaining('is taken alone') })
    expect(await pipe(['/dev/null'], '')).toMatchObject({ code: 2, err: expect.stringContaining('neither a file nor a folder') })
  })

  it('may end in a folder', async () => {
    const { code, out } = await pipe(['-', '--name', '../notes.txt', '-o', 'out'], 'y'.repeat(1000))
    expect({ code, out, results: readdirSync(join(place.folder, 'out')) }).toEqual({ code: 0, out: '', results: ['notes.txt'] })
  })
})

describe('the guides', () => {
  const ROOT = resolve(import.meta.dirname, '../../..')
  const manifest = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as Record<string, Record<string, string> & string>

  it('run no package that is not ours or among our dependencies', () => {
    const { dependencies = {}, devDependencies = {} } = manifest('package.json')
    const guides = globSync(['*.md', 'docs/**/*.md', 'packages/**/*.md', 'tools/**/*.md', 'wasm/*.md'], {
      cwd: ROOT,
      exclude: ['**/node_modules'],
    })
    const run = guides.flatMap((guide) =>
      [...readFileSync(join(ROOT, guide), 'utf8').matchAll(/\bnpx (?:-\S+ )*([@\w][\w./-]*)/g)].map(([, name]) => name!),
    )
    expect(run).toContain('wrangler')
    expect(run.filter((name) => !(name in dependencies) && !(name in devDependencies))).toEqual([])
  })

  it('name a package of our own scope, which nobody publishes by mistake', () => {
    expect(manifest('packages/cli/package.json')).toMatchObject({
      name: '@whittle-app/cli',
      private: true,
      bin: { whittle: 'bin/whittle.mjs' },
    })
  })
})

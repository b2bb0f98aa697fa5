/** Tests the CLI with a fake service. test/e2e/client.test.ts uses the real one. */
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { inFolder } from './folder.ts'
import { whittle, whittleOnTerminal } from './run.ts'
import { Screen } from './screen.ts'
import { fakeService } from './service.ts'

const testFolder = inFolder()
const { createFiles } = testFolder

const lines = (text: string) => text.split('\n').filter((line) => line.trim() !== '')

async function runOnTerminal(...args: string[]): Promise<string[]> {
  const screen = new Screen(80)
  const { out } = await whittleOnTerminal(testFolder.folder, testFolder.service.baseUrl, args)
  screen.write(out)
  return lines(screen.text)
}

describe.runIf(process.platform === 'linux')('on a terminal', () => {
  it('prints the path of a single result', async () => {
    createFiles({ 'photo.jpg': undefined })
    expect(await runOnTerminal('photo.jpg', '-o', 'out')).toEqual([
      '✓ photo.jpg: 1.00 kB → 500 B (−50.0%) out/photo.jpg',
      expect.stringMatching(/^1 file: 1\.00 kB → 500 B, 50\.0% saved \(500 B\) in \d+\.\d s$/),
    ])
  })

  it('prints why a single file failed', async () => {
    createFiles({ 'noise.bin': undefined })
    expect((await runOnTerminal('noise.bin'))[0]).toBe('✗ noise.bin: noise.bin has no format that Whittle knows.')
  })

  it('prints a line for every file and erases the bars', async () => {
    createFiles({ 'in/a.txt': undefined, 'in/b.bin': undefined, 'in/c.txt': undefined, 'in/d.txt': undefined, 'in/e.txt': undefined })
    const seen = await runOnTerminal('in', '-o', 'out', '-j', '2')
    expect(seen.map((line) => line.slice(0, 10)).sort()).toEqual([
      '5 files: 5',
      '✓ in/a.txt',
      '✓ in/c.txt',
      '✓ in/d.txt',
      '✓ in/e.txt',
      '✗ in/b.bin',
    ])
  })

  it('colours the first character of a line, unless NO_COLOR is set', async () => {
    createFiles({ 'photo.jpg': undefined })
    const painted = await whittleOnTerminal(testFolder.folder, testFolder.service.baseUrl, ['photo.jpg'], 'TERM=xterm')
    expect(painted.out).toContain('\u001b[32m✓\u001b[39m photo.jpg')
    const plain = await whittleOnTerminal(testFolder.folder, testFolder.service.baseUrl, ['photo.jpg'], 'TERM=xterm NO_COLOR=1')
    expect(plain.out).not.toContain('\u001b[32m')
  })

  it('shows the progress of all files together', async () => {
    createFiles({ 'in/a.txt': undefined, 'in/b.txt': undefined })
    const { out } = await whittleOnTerminal(testFolder.folder, testFolder.service.baseUrl, ['in', '-o', 'out', '-j', '1'])
    expect(out).toMatch(/50% 1 of 2 files/)
  })

  it('prints lines wider than the terminal in full', async () => {
    const deep = `${'a-long-name-of-a-folder/'.repeat(5)}photo.jpg`
    createFiles({ [deep]: undefined })
    expect((await runOnTerminal(deep, '-o', 'out')).join('')).toContain(`✓ ${deep}: 1.00 kB → 500 B (−50.0%) out/photo.jpg`)
  })
})

describe('skipped files', () => {
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
  const press = (...args: string[]) => testFolder.run([...args, '-o', 'out'])

  it('are hidden folders, node_modules and files ignored by .gitignore', async () => {
    createFiles(TREE)
    const { code, err } = await press('repo')
    expect(testFolder.service.received.sort()).toEqual(SENT)
    expect({ code, err }).toEqual({
      code: 0,
      err: '10 hidden or ignored files and folders skipped (include them with --hidden, --no-ignore)\n',
    })
    expect(readdirSync(join(testFolder.folder, 'repo/.git/objects'))).toEqual(['ab12'])
  })

  it('include files ignored by .gitignore of parent folders, up to the root of the repository', async () => {
    createFiles({ ...TREE, 'repo/docs/today.log': undefined, '.gitignore': 'docs/secret.txt\nkeep.log\n' })
    await press('repo/docs')
    expect(testFolder.service.received.sort()).toEqual(['secret.txt', 'trace.log'])
  })

  it('are sent if they are named explicitly', async () => {
    createFiles(TREE)
    await press('repo/dist', 'repo/.env', 'repo/.git/config', 'repo/node_modules')
    expect(testFolder.service.received.sort()).toEqual(['.env', 'app.js', 'config', 'index.js'])
  })

  it('are sent with --hidden or --no-ignore, and .git only with both', async () => {
    createFiles(TREE)
    await press('repo', '--hidden')
    expect(testFolder.service.received.sort()).toEqual(['.env', '.gitignore', '.gitignore', ...SENT, 'page.html'].sort())
    testFolder.service.received.length = 0
    await press('repo', '--no-ignore')
    expect(testFolder.service.received.sort()).toEqual(['app.js', 'debug.log', 'draft.md', 'index.js', 'secret.txt', ...SENT].sort())
    testFolder.service.received.length = 0
    await press('repo', '--no-ignore', '--hidden')
    expect(testFolder.service.received).toHaveLength(Object.keys(TREE).length)
  })

  it('are reported if there are no other files', async () => {
    createFiles({ 'only/.env': undefined })
    expect(await press('only')).toMatchObject({
      code: 2,
      err: 'No files found: 1 hidden or ignored files and folders skipped (include them with --hidden, --no-ignore).\n',
    })
  })
})

describe('the command', () => {
  it('explains the levels of -q in its help', async () => {
    const { out } = await testFolder.run(['compress', '--help'])
    expect(out.replace(/\s+/g, ' ')).toMatch(
      /-q, --quality <level> quality to keep; low gives the smallest file, high the most faithful one/,
    )
  })

  it('prints its usage without arguments', async () => {
    expect(await testFolder.run([])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^Usage: whittle [\s\S]*Examples:/),
    })
  })

  it('prints its version', async () => {
    expect(await testFolder.run(['--version'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    })
  })

  it('reports a refused connection and an address without a scheme', async () => {
    createFiles({ 'photo.jpg': undefined })
    const stopped = await fakeService()
    await stopped.stop()
    const refused = await whittle(testFolder.folder, stopped.baseUrl, ['photo.jpg'])
    expect(refused).toMatchObject({ code: 3, err: expect.stringContaining('ECONNREFUSED') })
    const withoutScheme = await whittle(testFolder.folder, 'localhost:8787', ['photo.jpg'])
    expect(withoutScheme).toMatchObject({
      code: 2,
      err: expect.stringContaining("Invalid server 'localhost:8787': expected a URL that begins with https://"),
    })
  })
})

describe('a pipe', () => {
  const pipe = (args: string[], stdin: string) => testFolder.run(args, stdin)

  it('writes only the result to standard output', async () => {
    const { code, out, err } = await pipe(['-', '--name', 'notes.txt'], 'y'.repeat(1000))
    expect({ code, out, received: testFolder.service.received }).toEqual({ code: 0, out: 'y'.repeat(500), received: ['notes.txt'] })
    expect(err).toBe('✓ -: 1.00 kB → 500 B (−50.0%) standard output\n')
  })

  it('reports errors on standard error and by the exit code', async () => {
    expect(await pipe(['-', '--name', 'noise.bin'], 'noise')).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('✗ -: noise.bin has no format'),
    })
    expect(await pipe(['-', 'photo.jpg'], 'noise')).toMatchObject({
      code: 2,
      err: expect.stringContaining('cannot be combined with other files'),
    })
    expect(await pipe(['/dev/null'], '')).toMatchObject({ code: 2, err: expect.stringContaining('neither a file nor a folder') })
  })

  it('saves the result in a folder with --out', async () => {
    const { code, out } = await pipe(['-', '--name', '../notes.txt', '-o', 'out'], 'y'.repeat(1000))
    expect({ code, out, results: readdirSync(join(testFolder.folder, 'out')) }).toEqual({ code: 0, out: '', results: ['notes.txt'] })
  })
})

describe('the guides', () => {
  const ROOT = resolve(import.meta.dirname, '../../..')
  const manifest = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as Record<string, Record<string, string> & string>

  it('run only our packages and our dependencies with npx', () => {
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

  it('name a private package of our own scope', () => {
    expect(manifest('packages/cli/package.json')).toMatchObject({
      name: '@whittle-app/cli',
      private: true,
      bin: { whittle: 'bin/whittle.mjs' },
    })
  })
})

/** `@whittle-app/core` as a user has it: packed, installed into an empty folder, imported by its name. */
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Installed, install, linkNodeTypes, ROOT } from '../pack.ts'

const PHOTO = join(ROOT, 'docs/photo.jpg')
/** A picture of 150 × 150 pixels, where the size is not the point. */
const SMALL = join(ROOT, 'test/fixtures/difficult/coffee.jpg')
let installed: Installed
beforeAll(() => {
  installed = install('core')
}, 120_000)
afterAll(() => installed?.[Symbol.dispose]())

/** Runs a program in the folder. @returns what it printed, as JSON */
function run(program: string): unknown {
  const path = join(installed.folder, 'program.js')
  writeFileSync(path, program)
  return JSON.parse(execFileSync(process.execPath, [path], { cwd: installed.folder, encoding: 'utf8' }))
}

it('gives the bytes of the service, for every kind of input', () => {
  const tried = execFileSync(
    process.execPath,
    [
      '--import',
      join(ROOT, 'tools/wasm-hook.ts'),
      '--input-type=module',
      '-e',
      `import { readFileSync } from 'node:fs'
import { compress } from ${JSON.stringify(join(ROOT, 'src/core/index.ts'))}
console.log((await compress(new Uint8Array(readFileSync(${JSON.stringify(SMALL)})))).receipt.result.sha256)`,
    ],
    { cwd: ROOT, encoding: 'utf8' },
  ).trim()
  const hashes = run(`import { readFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { createHash } from 'node:crypto'
import { compress, compressFile } from '@whittle-app/core'
const path = ${JSON.stringify(SMALL)}
const bytes = new Uint8Array(await readFile(path))
const inputs = [path, pathToFileURL(path), bytes, bytes.slice().buffer, new Blob([bytes]), new Blob([bytes]).stream()]
const hashOf = (made) => createHash('sha256').update(made).digest('hex')
const hashes = []
for (const input of inputs) {
  const { bytes, receipt } = await compress(input)
  hashes.push(hashOf(bytes), receipt.result.sha256)
}
await compressFile(path, 'deep/small.jpg')
hashes.push(hashOf(await readFile('deep/small.jpg')))
console.log(JSON.stringify([...new Set(hashes)]))`)
  expect(hashes).toEqual([tried])
})

it('verifies results, and sees a changed one', () => {
  const verdicts = run(`import { compress, verify } from '@whittle-app/core'
const path = ${JSON.stringify(SMALL)}
const { bytes, receipt } = await compress(path, { quality: 'low' })
const falseOnes = ({ findings }) => findings.filter(({ verdict }) => verdict === 'false').map(({ field }) => field)
const changed = { ...receipt, result: { ...receipt.result, psnr_db: 60 } }
console.log(JSON.stringify([
  falseOnes(await verify(path, bytes, receipt)),
  falseOnes(await verify(path, bytes, JSON.stringify(receipt))),
  falseOnes(await verify(path, bytes, changed)),
  falseOnes(await verify(path, bytes)),
]))`)
  expect(verdicts).toEqual([[], [], ['psnr_db'], []])
})

it('converts, fits a size, encrypts, and leaves no file when it throws', () => {
  const made = run(`import { readdirSync } from 'node:fs'
import { compress, compressFile, identify, formats, TargetUnreachable } from '@whittle-app/core'
const path = ${JSON.stringify(PHOTO)}
const webp = await compress(path, { format: 'webp' })
const fitted = await compress(path, { targetSize: 60000 })
const locked = await compress(path, { password: 'correct horse' })
const refused = []
for (const options of [{ format: 'mp4' }, { quality: 'ultra' }, { targetSize: 100 }, { signal: AbortSignal.abort() }])
  await compressFile(path, 'out/refused.jpg', options).catch((error) => refused.push([error.name, error instanceof TargetUnreachable]))
const noise = Uint8Array.from({ length: 500 }, (_, i) => (i * 197) & 255)
const unknown = await compress(noise)
console.log(JSON.stringify({
  webp: [webp.name, String.fromCharCode(...webp.bytes.subarray(8, 12))],
  fits: fitted.bytes.length <= 60000,
  locked: [locked.name, locked.receipt.encrypted, locked.bytes[0]],
  refused,
  left: readdirSync('out'),
  unknown: [unknown.receipt.format, unknown.receipt.result.reason, unknown.bytes.length, unknown.receipt.result.detail],
  steps: webp.receipt.result.steps,
  format: (await identify(path)).id,
  films: formats().filter(({ id }) => ['mp4', 'wav', 'mp3'].includes(id)),
  progress: await new Promise((done) => compress(path, { onProgress: (share) => share > 0 && done(share <= 1) })),
}))`)
  expect(made).toEqual({
    webp: ['photo.webp', 'WEBP'],
    fits: true,
    locked: ['photo.jpg.zip', true, 0x50],
    refused: [
      ['RangeError', false],
      ['RangeError', false],
      ['TargetUnreachable', true],
      ['AbortError', false],
    ],
    left: [],
    unknown: ['unknown', 'unsupported_feature', 500, 'this file type is not supported; `formats()` lists the supported formats'],
    steps: expect.arrayContaining([expect.stringContaining('WebP')]),
    format: 'jpg',
    films: [],
    progress: true,
  })
})

it('does what its README shows', () => {
  const programs = [...readFileSync(join(ROOT, 'packages/core/README.md'), 'utf8').matchAll(/```js\n([\s\S]*?)```/g)].map(
    ([, program]) => program!,
  )
  cpSync(PHOTO, join(installed.folder, 'photo.jpg'))
  const [printed = '', sizes] = programs.map((program) => {
    writeFileSync(join(installed.folder, 'readme.js'), program)
    return execFileSync(process.execPath, ['readme.js'], { cwd: installed.folder, encoding: 'utf8' })
  })
  expect(sizes).toMatch(/^\[ (\d+), \1 \]\n$/)
  expect(printed).toMatch(/^0\.9\d+ \d+\n$/)
  expect(statSync(join(installed.folder, 'smaller.jpg')).size).toBe(Number(printed.split(' ')[1]))
})

it('serves pictures in the route for Next.js that the guide shows', () => {
  const guide = readFileSync(join(ROOT, 'docs/users/integrations.md'), 'utf8')
  const [, route = ''] = /```js\n(\s*\/\/ app\/smaller\/route\.js\n[\s\S]*?)```/.exec(guide) ?? []
  mkdirSync(join(installed.folder, 'public'))
  cpSync(PHOTO, join(installed.folder, 'public/photo.jpg'))
  writeFileSync(join(installed.folder, 'public/notes.txt'), 'no picture')
  writeFileSync(join(installed.folder, 'route.js'), route)
  const answers = run(`import { GET } from './route.js'
const answers = []
for (const src of ['/photo.jpg', '/../package.json', '/notes.txt', '/missing.jpg', '']) {
  const answer = await GET(new Request('http://localhost/smaller?src=' + encodeURIComponent(src)))
  answers.push([answer.status, answer.headers.get('content-type'), (await answer.arrayBuffer()).byteLength < 100000])
}
process.stdout.write(JSON.stringify(answers), () => process.exit())`)
  expect(answers).toEqual([
    [200, 'image/webp', true],
    ...Array.from({ length: 4 }, () => [404, expect.stringMatching(/^text\/plain/), true]),
  ])
})

it('has declarations that compile without the types of Cloudflare', () => {
  linkNodeTypes(installed.folder)
  const program = `import { compress, type Compressed, formats, identify, type Receipt, verify } from '@whittle-app/core'
const { bytes, receipt }: Compressed = await compress('a.jpg', { quality: 'low', format: 'webp', onProgress: (share) => share })
const size: number = bytes.length + receipt.compressed_size
const kept: Receipt = receipt
const id: string | undefined = (await identify(new Blob()))?.id
const verdicts: string[] = (await verify(bytes, bytes, kept)).findings.map(({ verdict }) => verdict)
// @ts-expect-error there is no such level
await compress('a.jpg', { quality: 'best' })
export { size, id, verdicts, formats }
`
  writeFileSync(join(installed.folder, 'typed.ts'), program)
  const compilerOptions = {
    module: 'NodeNext',
    target: 'ES2022',
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    types: ['node'],
  }
  writeFileSync(join(installed.folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['typed.ts'] }))
  const { stdout } = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', installed.folder], { encoding: 'utf8' })
  expect(stdout).toBe('')
})

it('has a small entry, no engine under the GPL, and the licences of what it contains', () => {
  const dist = join(installed.folder, 'node_modules/@whittle-app/core/dist')
  for (const entry of ['index.js', 'browser.js']) {
    const loaded = new Set([entry])
    let text = ''
    for (const file of loaded) {
      const script = readFileSync(join(dist, file), 'utf8')
      for (const [, target = ''] of script.matchAll(/(?:from|import)"(\.{1,2}\/[^"]+\.js)"/g)) loaded.add(join(file, '..', target))
      text += script
    }
    // The goal is 60 kB. Messages are the largest part, and grow with each format.
    expect([...loaded].reduce((sum, file) => sum + gzipSync(readFileSync(join(dist, file))).length, 0)).toBeLessThan(60_000)
    // Browsers load nothing of Node.
    expect(/\bfrom ?["']node:/.test(text), entry).toBe(entry === 'index.js')
  }
  const engines = globSync('**/*.wasm', { cwd: dist })
  expect(engines.length).toBeGreaterThan(10)
  expect(engines.filter((path) => /ffmpeg|lame/.test(path))).toEqual([])
  expect(readFileSync(join(dist, 'LICENSES.txt'), 'utf8')).toMatch(/svgo 4[\s\S]*Permission is hereby granted/)
  expect(existsSync(join(ROOT, 'packages/core/dist'))).toBe(false)
})

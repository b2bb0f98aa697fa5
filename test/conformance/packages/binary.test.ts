/**
 * The command as one file: it runs in an empty folder without `node_modules` and gives the bytes of the service. `WHITTLE_BINARY` names a
 * binary that is built already, as a release does.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { WrittenFile } from '../../../tools/golden/write-files.ts'
import { binaryName, buildBinaries, HOST, isTarget } from '../../../tools/release/packages/binary.ts'
import { buildPdf, plainDocument } from '../../core/formats/pdf/build.ts'
import { ROOT } from '../../packages/pack.ts'

/** A file of each format. */
const FILES = {
  'photo.jpg': () => readFileSync(join(ROOT, 'docs/photo.jpg')),
  'page.png': () => readFileSync(join(ROOT, 'docs/users/first-minutes/05-key.png')),
  'text.pdf': () => buildPdf(plainDocument(20)),
}

let folder: string
let binary: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'whittle-binary-test-'))
  const given = process.env['WHITTLE_BINARY']
  binary = given === undefined ? await build() : resolve(given)
}, 600_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function build(): Promise<string> {
  if (!isTarget(HOST)) throw new Error(`there is no binary for ${HOST}`)
  const outdir = join(folder, 'built')
  await buildBinaries([HOST], outdir)
  const name = binaryName(HOST)
  const bytes = readFileSync(join(outdir, name))
  expect(readFileSync(join(outdir, 'SHA256SUMS'), 'utf8')).toBe(`${sha256(bytes)}  ${name}\n`)
  expect(readFileSync(join(outdir, 'LICENSES.txt'), 'utf8')).toMatch(/^Bun .*JavaScriptCore.*wasm\/jpeg/s)
  return join(outdir, name)
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** Runs the binary in `cwd`, without settings and packages of this machine. */
function whittle(cwd: string, ...args: string[]) {
  const env = { HOME: folder, XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder, LOCALAPPDATA: folder, SystemRoot: process.env['SystemRoot'] }
  const { status, stdout, stderr } = spawnSync(binary, args, { cwd, env, encoding: 'utf8' })
  return { code: status, out: stdout, err: stderr }
}

function emptyFolder(name: string): string {
  const path = join(folder, name)
  mkdirSync(path)
  return path
}

/** Runs the command of this checkout, in Node. */
const inNode = (cwd: string, ...args: string[]) => {
  const env = { ...process.env, WHITTLE_SERVER: '', WHITTLE_KEY: '', XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder }
  const command = join(ROOT, 'packages/cli/bin/whittle.mjs')
  return spawnSync(process.execPath, [command, ...args], { cwd, env, encoding: 'utf8' }).status
}

describe('the binary', () => {
  it('compresses in threads and verifies in an empty folder, with the bytes of the service', () => {
    const cwd = emptyFolder('three')
    for (const [name, contents] of Object.entries(FILES)) writeFileSync(join(cwd, name), contents())
    const names = Object.keys(FILES)
    const { code, out, err } = whittle(cwd, ...names, '-o', 'small', '--json')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(inNode(cwd, ...names, '-o', 'node')).toBe(0)
    const printed = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { path: string; status: string; result: { sha256: string } })
    for (const name of names) {
      const result = readFileSync(join(cwd, 'small', name))
      expect(printed.find(({ path }) => path === name)).toMatchObject({ status: 'compressed', result: { sha256: sha256(result) } })
      expect(sha256(result), name).toBe(sha256(readFileSync(join(cwd, 'node', name))))
    }
    // As `/openapi.json` and the documentation show it.
    expect(sha256(readFileSync(join(cwd, 'small/photo.jpg')))).toBe('1c2b1904745b15ff5b4fd13b2090762b12d3d03b664e337f3e185ff8cff6f229')
    expect(whittle(cwd, 'verify', 'photo.jpg', 'small/photo.jpg')).toMatchObject({ code: 0, out: expect.stringMatching(/true\n$/) })
    expect(readdirSync(cwd).sort()).toEqual([...names, 'node', 'small'].sort())
  }, 300_000)

  it('gives the recorded results of the service for JPEG, PNG and PDF', () => {
    const cwd = emptyFolder('recorded')
    const script = ['--import', './tools/wasm-hook.ts', 'tools/golden/write-files.ts', cwd, 'jpg', 'png', 'pdf']
    const files = JSON.parse(execFileSync(process.execPath, script, { cwd: ROOT, encoding: 'utf8' })) as WrittenFile[]
    const recorded = JSON.parse(readFileSync(join(ROOT, 'tools/golden/golden.json'), 'utf8')) as Record<string, string>
    expect(new Set(files.map(({ format }) => format))).toEqual(new Set(['jpg', 'png', 'pdf']))
    for (const { path, format, holds } of files) {
      for (const quality of ['low', 'medium', 'high']) {
        expect(whittle(cwd, path, '-q', quality, '-f', format, '-o', `${path}.${quality}/`)).toMatchObject({ code: 0, err: '' })
        const result = readFileSync(join(cwd, `${path}.${quality}`, basename(path)))
        const name = [format, holds, quality, format].join(', ')
        expect(`${result.length} ${sha256(result)}`, name).toBe(recorded[name])
      }
    }
  }, 300_000)

  it('survives a damaged file, and names what films need', () => {
    const cwd = emptyFolder('damaged')
    const photo = FILES['photo.jpg']()
    writeFileSync(join(cwd, 'cut.jpg'), photo.subarray(0, 60_000))
    writeFileSync(join(cwd, 'whole.jpg'), photo)
    writeFileSync(join(cwd, 'sound.wav'), silence())
    const { code, out } = whittle(cwd, 'cut.jpg', 'sound.wav', 'whole.jpg')
    expect(code).toBe(1)
    expect(out).toContain('npm install @whittle-app/film')
    expect(existsSync(join(cwd, 'whole.whittled.jpg'))).toBe(true)
  }, 300_000)

  it('runs no code and reads no settings of the folder where it runs', () => {
    const cwd = emptyFolder('hostile')
    const write = (name: string, text: string) => {
      mkdirSync(join(cwd, name, '..'), { recursive: true })
      writeFileSync(join(cwd, name), text)
    }
    const trap = "require('node:fs').writeFileSync('ran.txt', '')"
    write('preload.js', trap)
    write('bunfig.toml', 'preload = ["./preload.js"]\n')
    write('.env', 'WHITTLE_SERVER=http://127.0.0.1:1\nWHITTLE_KEY=no\n')
    write('package.json', '{ "imports": { "#x": "./preload.js" } }')
    for (const name of ['@whittle-app/film', 'commander', 'svgo']) {
      write(`node_modules/${name}/package.json`, '{ "main": "index.js" }')
      write(`node_modules/${name}/index.js`, trap)
    }
    cpSync(join(ROOT, 'docs/photo.jpg'), join(cwd, 'photo.jpg'))
    writeFileSync(join(cwd, 'sound.wav'), silence())
    expect(whittle(cwd, 'photo.jpg').code).toBe(0)
    expect(whittle(cwd, 'sound.wav').out).toContain('npm install @whittle-app/film')
    expect(existsSync(join(cwd, 'ran.txt'))).toBe(false)
  }, 300_000)

  it('prints its version, formats and size', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'packages/cli/package.json'), 'utf8')) as { version: string }
    expect(whittle(folder, '--version')).toMatchObject({ code: 0, out: `${version}\n` })
    expect(whittle(folder, 'formats').out).toMatch(/^JPEG/m)
    console.info(`${(statSync(binary).size / 1e6).toFixed(1)} MB`)
  }, 60_000)
})

/** A WAV file with half a second of silence. */
function silence(): Buffer {
  const sound = Buffer.alloc(44 + 8000)
  sound.write('RIFF\0\0\0\0WAVEfmt ', 'latin1')
  sound.writeUInt32LE(36 + 8000, 4)
  sound.writeUInt32LE(16, 16)
  sound.writeUInt16LE(1, 20)
  sound.writeUInt16LE(1, 22)
  sound.writeUInt32LE(8000, 24)
  sound.writeUInt32LE(16_000, 28)
  sound.writeUInt16LE(2, 32)
  sound.writeUInt16LE(16, 34)
  sound.write('data', 36, 'latin1')
  sound.writeUInt32LE(8000, 40)
  return sound
}

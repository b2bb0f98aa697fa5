/** Flags of `npm start`: output and exit codes. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { LogFile } from '../../src/local/log-file.ts'
import { startOptions } from '../../src/local/start-options.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const start = (...flags: string[]) => spawnSync(process.execPath, [join(ROOT, 'src/local/start.ts'), ...flags], { encoding: 'utf8' })

describe('npm start', () => {
  it('lists its options with --help', () => {
    const { stdout, status } = start('--help')
    expect(status).toBe(0)
    for (const flag of ['--port', '--state', '--workers', '--memory', '--public-url', '--host', '--invite']) expect(stdout).toContain(flag)
  })

  it.each([
    ['--port', '0'],
    ['--port', 'x'],
    ['--workers', '-1'],
    ['--workers', '1.5'],
    ['--memory', '1'],
    ['--public-url', 'http://whittle.example.com'],
    ['--public-url', 'https://whittle.example.com/path'],
    ['--hang-timeout', '0'],
    ['--workers', '0'],
    ['--callback-ports', '443,x'],
    ['--wrokers', '2'],
  ])('refuses %s %s with a sentence', (flag, value) => {
    const { stderr, status } = start(`${flag}=${value}`)
    expect(status).toBe(1)
    expect(stderr).toContain(flag)
    expect(stderr).not.toMatch(/^\s+at /m)
  })

  it('reads lists and numbers', () => {
    expect(startOptions(['--callback-ports', '9443,10443', '--workers', '3', '--public-url', 'https://a.example'])).toMatchObject({
      callbackPorts: [9443, 10_443],
      callbackNetworks: [],
      workers: 3,
      publicUrl: 'https://a.example',
      port: 8787,
    })
  })

  it('allows guests unless they are switched off', () => {
    expect(startOptions([]).guests).toBe(true)
    expect(startOptions(['--no-guests']).guests).toBe(false)
  })

  it('still accepts --patience, the old name of --hang-timeout', () => {
    expect(startOptions(['--patience', '7']).hangTimeout).toBe(7)
    expect(startOptions([]).hangTimeout).toBe(60)
  })

  it('reports the required Node version', () => {
    const program = "Object.defineProperty(process.versions, 'node', { value: '20.9.0' }); await import('./src/local/node-version.mjs')"
    const { stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { cwd: ROOT, encoding: 'utf8' })
    expect(status).toBe(1)
    expect(stderr).toContain('Whittle needs Node 24 or newer to run, and this is 20.9.0.')
  })
})

it('rotates a large log and keeps the previous one', () => {
  const folder = mkdtempSync(join(tmpdir(), 'whittle-log-'))
  try {
    const path = join(folder, 'service.log')
    const log = new LogFile(path, 20)
    for (const line of ['first, twenty bytes!', 'second', 'third, twenty bytes!', 'fourth']) log.writeLine(line)
    log.close()
    expect(readFileSync(path, 'utf8')).toBe('fourth\n')
    expect(readFileSync(`${path}.1`, 'utf8')).toBe('second\nthird, twenty bytes!\n')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

/** The command as a user has it: packed, installed into an empty folder, outside of a checkout. */
import { spawnSync } from 'node:child_process'
import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { IS_THOROUGH } from '../../support/thorough.ts'
import { addPackage, type Installed, install, ROOT } from '../pack.ts'

let installed: Installed
beforeAll(() => {
  installed = install('cli')
  cpSync(join(ROOT, 'docs/photo.jpg'), join(installed.folder, 'photo.jpg'))
}, 120_000)
afterAll(() => installed?.[Symbol.dispose]())

/** Runs the installed command without settings of this machine. */
function whittle(...args: string[]) {
  const env = { ...process.env, WHITTLE_SERVER: '', WHITTLE_KEY: '', XDG_CONFIG_HOME: installed.folder, XDG_STATE_HOME: installed.folder }
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(installed.folder, 'node_modules/.bin/whittle'), ...args], {
    ...{ cwd: installed.folder, env, encoding: 'utf8' },
  })
  return { code: status, out: stdout, err: stderr }
}

it('compresses and verifies without a checkout', () => {
  expect(whittle('photo.jpg')).toMatchObject({ code: 0, err: '', out: expect.stringMatching(/^✓ photo\.jpg: 241 kB → /) })
  expect(whittle('verify', 'photo.jpg', 'photo.whittled.jpg')).toMatchObject({ code: 0, out: expect.stringMatching(/true\n$/) })
  expect(whittle('formats').out).not.toMatch(/^WAV/m)
  expect(readFileSync(join(installed.folder, 'node_modules/@whittle-app/cli/dist/whittle.1'), 'utf8')).toMatch(/^\.TH WHITTLE 1 /)
})

it.runIf(IS_THOROUGH)(
  'compresses sound once @whittle-app/film is installed',
  () => {
    const sound = Buffer.concat([
      Buffer.from('RIFF'),
      Buffer.alloc(4),
      Buffer.from('WAVEfmt '),
      Buffer.alloc(20),
      Buffer.from('data'),
      Buffer.alloc(8004),
    ])
    for (const [offset, value] of [
      [4, 8036],
      [16, 16],
      [24, 8000],
      [28, 16_000],
      [40, 8000],
    ] as const)
      sound.writeUInt32LE(value, offset)
    for (const [offset, value] of [
      [20, 1],
      [22, 1],
      [32, 2],
      [34, 16],
    ] as const)
      sound.writeUInt16LE(value, offset)
    writeFileSync(join(installed.folder, 'silence.wav'), sound.subarray(0, 8044))
    expect(whittle('silence.wav')).toMatchObject({ code: 1, out: expect.stringContaining('npm install @whittle-app/film') })
    expect(globSync('node_modules/@whittle-app/cli/**/*{ffmpeg,lame}*.wasm', { cwd: installed.folder })).toEqual([])
    addPackage(installed, 'film')
    expect(whittle('silence.wav', '-f', 'flac', '-o', 'out')).toMatchObject({ code: 0, out: expect.stringContaining('out/silence.flac') })
  },
  120_000,
)

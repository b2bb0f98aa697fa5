/** The command without a service: it compresses in threads of its own process. */
import { createHash } from 'node:crypto'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../pack.ts'
import { inFolder } from './folder.ts'
import { whittle, whittleOnTerminal } from './run.ts'

const MIXED_TEXT = Array.from({ length: 300 }, (_, i) => `line ${i}: the quick brown fox\n`).join('')

const here = inFolder()
const { createFiles, list, size } = here
const run = (args: readonly string[], stdin = '') => whittle(here.folder, '', args, stdin)
const photo = (name: string) => cpSync(join(ROOT, 'docs/photo.jpg'), join(here.folder, name))
const sha256 = (name: string) =>
  createHash('sha256')
    .update(readFileSync(join(here.folder, name)))
    .digest('hex')
/** All names in the folder, hidden ones too, except those of the command's own settings. */
const everything = (folder = '.') => readdirSync(join(here.folder, folder)).filter((name) => name !== '.state' && name !== '.config')

describe('without a server, whittle', () => {
  it('compresses in its own process, and leaves nothing but the result', async () => {
    photo('photo.jpg')
    const { code, out, err } = await run(['photo.jpg'])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(/^✓ photo\.jpg: 241 kB → 81\.\d kB \(−66\.\d%\) photo\.whittled\.jpg\n1 file: .* saved \(160 kB\) in \S+ s\n$/)
    expect(everything().sort()).toEqual(['photo.jpg', 'photo.whittled.jpg'])
  })

  it('prints one object a file with the names of the API', async () => {
    photo('in/photo.jpg')
    createFiles({ 'in/notes.txt': MIXED_TEXT })
    const { out } = await run(['in', '-q', 'low', '-o', 'out', '--json'])
    const files = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown> & { result: { sha256: string } })
    const [notes, picture] = files.sort((a, b) => String(a['path']).localeCompare(String(b['path'])))
    expect(notes).toMatchObject({ path: 'in/notes.txt', status: 'compressed', output_path: 'out/notes.txt.zst', output_format: 'zst' })
    expect(picture).toMatchObject({
      ...{ path: 'in/photo.jpg', status: 'compressed', format: 'jpg', output_name: 'photo.jpg', output_path: 'out/photo.jpg' },
      ...{ original_size: 240_883, compressed_size: size('out/photo.jpg'), result: { outcome: 'compressed', verified: true } },
    })
    expect(picture?.result.sha256).toBe(sha256('out/photo.jpg'))
  })

  it('stores a JPEG in JPEG XL, confirms that, and gives the JPEG back', async () => {
    photo('photo.jpg')
    expect((await run(['photo.jpg', '-o', 'out/photo.jxl'])).code).toBe(0)
    expect(size('out/photo.jxl')).toBeLessThan(240_883 * 0.9)
    const { code, out } = await run(['verify', 'photo.jpg', 'out/photo.jxl'])
    expect([code, out]).toEqual([0, expect.stringMatching(/^jpg → jxl, lossless\n[\s\S]*\ntrue\n$/)])
    expect(await run(['unpack', 'out/photo.jxl'])).toMatchObject({ code: 0, out: 'out/photo.jpg: 241 kB\n' })
    expect(sha256('out/photo.jpg')).toBe(sha256('photo.jpg'))
    expect(await run(['unpack', 'out/photo.jxl', '-o', 'out/back.jpg', '--json'])).toMatchObject({
      out: `${JSON.stringify({ path: 'out/back.jpg', size: 240_883 })}\n`,
    })
    expect(everything('out').sort()).toEqual(['back.jpg', 'photo.jpg', 'photo.jxl'])
    const refused = await run(['unpack', 'photo.jpg'])
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('photo.jpg: the file is no JPEG XL')])
  })

  it('goes on after damaged and unknown files, and says why in words', async () => {
    photo('in/photo.jpg')
    const whole = readFileSync(join(here.folder, 'in/photo.jpg'))
    writeFileSync(join(here.folder, 'in/damaged.jpg'), whole.subarray(0, 3000))
    writeFileSync(join(here.folder, 'in/noise.bin'), Buffer.from(Array.from({ length: 3000 }, (_, i) => (i * 197 + (i >> 3) * 31) & 255)))
    await run(['in/photo.jpg', '-q', 'high', '-o', 'once'])
    cpSync(join(here.folder, 'once/photo.jpg'), join(here.folder, 'in/small.jpg'))
    const { code, out } = await run(['in', '-q', 'high', '-o', 'out'])
    expect(code).toBe(1)
    expect(out).toMatch(/✓ in\/photo\.jpg: /)
    expect(out).toMatch(/= in\/damaged\.jpg: 3\.00 kB, unchanged because it is damaged: /)
    expect(out).toMatch(/✗ in\/noise\.bin: This file type is not supported/)
    expect(out).toMatch(/\n4 files: .*, 1 failed\n$/)
    expect(list('out')).toEqual(['damaged.jpg', 'photo.jpg', 'small.jpg'])
  })

  it('says that a file is already as small as it gets', async () => {
    createFiles({ 'a.txt': 'x' })
    expect(await run(['a.txt'])).toMatchObject({ code: 0, out: expect.stringContaining('= a.txt: 1 B, already as small as it gets\n') })
  })

  it('converts, encrypts, and fails if no result fits the target size', async () => {
    photo('photo.jpg')
    expect(await run(['photo.jpg', '-o', 'small.webp'])).toMatchObject({ code: 0 })
    expect(readFileSync(join(here.folder, 'small.webp')).toString('latin1', 8, 12)).toBe('WEBP')
    expect(await run(['photo.jpg', '-p', 'Пароль', '-o', 'locked/'])).toMatchObject({ code: 0 })
    expect(list('locked')).toEqual(['photo.jpg.zip'])
    expect(await run(['photo.jpg', '-t', '100', '-o', 'tiny/'])).toMatchObject({ code: 1, out: expect.stringContaining('minimum quality') })
    expect(everything('tiny')).toEqual([])
    expect(await run(['photo.jpg', '-f', 'mp4'])).toMatchObject({ code: 1, out: expect.stringContaining("cannot be converted to 'mp4'") })
  })

  it('compresses sound with the engines of the film package', async () => {
    const samples = Buffer.alloc(2 * 44_100)
    for (let i = 0; i < 44_100; i++) samples.writeInt16LE(Math.round(8000 * Math.sin(i / 20)), 2 * i)
    writeFileSync(join(here.folder, 'tone.wav'), wavOf(samples))
    expect(await run(['tone.wav', '-f', 'flac', '-o', 'out'])).toMatchObject({ code: 0 })
    expect(readFileSync(join(here.folder, 'out/tone.flac')).toString('latin1', 0, 4)).toBe('fLaC')
    expect(await run(['verify', 'tone.wav', 'out/tone.flac'])).toMatchObject({ code: 0, out: expect.stringContaining('wav → flac') })
  })

  it('reads standard input and writes standard output', async () => {
    const { code, out, err } = await run(['-', '--name', 'notes.txt', '-f', 'gz', '-o', 'notes.txt.gz'], MIXED_TEXT)
    expect({ code, out, err }).toEqual({ code: 0, out: '', err: expect.stringMatching(/^✓ -: .* notes\.txt\.gz\n$/) })
    expect(gunzipSync(readFileSync(join(here.folder, 'notes.txt.gz'))).toString()).toBe(MIXED_TEXT)
    // An unchanged file comes out as it is.
    expect(await run(['-', '--name', 'a.txt', '-o', '-'], 'x')).toEqual({
      code: 0,
      out: 'x',
      err: '= -: 1 B, already as small as it gets\n',
    })
  })

  it('lists formats, and says which commands need a service', async () => {
    expect((await run(['formats'])).out).toMatch(/^JPEG +\.jpg .* → jpg, png/m)
    for (const command of [['usage'], ['tasks'], ['get', 'tsk_a'], ['rm', 'tsk_a'], ['photo.jpg', '--keep']]) {
      photo('photo.jpg')
      expect(await run(command), command.join(' ')).toMatchObject({ code: 2, err: expect.stringMatching(/whittle login/) })
    }
  })
})

describe.runIf(process.platform === 'linux')('on a terminal, whittle', () => {
  it('shows that it is compressing', async () => {
    photo('photo.jpg')
    const { out } = await whittleOnTerminal(here.folder, '', ['photo.jpg'])
    expect(out).toMatch(/\d+% compressing photo\.jpg/)
  })
})

/** A WAV file of 16-bit mono samples at 44.1 kHz (RIFF, PCM). */
function wavOf(samples: Buffer): Buffer {
  const head = Buffer.alloc(44)
  head.write('RIFF', 0, 'latin1')
  head.writeUInt32LE(36 + samples.length, 4)
  head.write('WAVEfmt ', 8, 'latin1')
  for (const [offset, value, bytes] of [
    [16, 16, 4],
    [20, 1, 2],
    [22, 1, 2],
    [24, 44_100, 4],
    [28, 88_200, 4],
    [32, 2, 2],
    [34, 16, 2],
  ] as const)
    head.writeUIntLE(value, offset, bytes)
  head.write('data', 36, 'latin1')
  head.writeUInt32LE(samples.length, 40)
  return Buffer.concat([head, samples])
}

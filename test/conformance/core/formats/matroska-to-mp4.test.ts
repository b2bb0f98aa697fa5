import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { mkv, webm } from '../../../../src/core/formats/film/mkv/mkv.ts'
import { inEnglish } from '../../../support/in-english.ts'
import { pressFile } from '../../../support/press-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'whittle-mkv-'))
afterAll(() => rmSync(folder, { recursive: true }))

interface Packet {
  readonly stream_index: number
  readonly pts_time: string
  readonly flags: string
  readonly data_hash: string
}

const probe = (path: string, ...args: string[]) =>
  JSON.parse(execFileSync('ffprobe', ['-v', 'error', '-of', 'json', ...args, path], { encoding: 'utf8', maxBuffer: 2 ** 28 }))
const packetsOf = (path: string, stream: number) =>
  (probe(path, '-show_packets', '-show_data_hash', 'md5').packets as Packet[]).filter(({ stream_index }) => stream_index === stream)

const [PICTURES, TONE] = [
  (rate: string) => ['-f', 'lavfi', '-i', `testsrc2=size=320x240:rate=${rate}:duration=6`],
  ['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000:duration=6'],
]
const H264 = ['-c:v', 'libx264', '-preset', 'fast', '-bf', '3', '-g', '48']

/** Film with a Void element, so that MP4 is smaller whatever its index takes. */
function film(name: string, ...args: string[]): Uint8Array {
  const path = join(folder, name)
  execFileSync('ffmpeg', ['-y', '-v', 'error', ...args, '-reserve_index_space', '20000', path])
  return new Uint8Array(readFileSync(path))
}

describe.skipIf(spawnSync('ffprobe', ['-version']).status !== 0)('FFmpeg reads MP4 from Matroska as it reads the original', () => {
  it.each<[string, number, string[]]>([
    ['bframes.mkv', 2, [...PICTURES('24000/1001'), ...TONE, ...H264, '-c:a', 'aac']],
    [
      'two.mkv',
      3,
      [...PICTURES('25'), ...TONE, ...TONE, '-map', '0', '-map', '1', '-map', '2', ...H264, '-c:a:0', 'libmp3lame', '-c:a:1', 'ac3'],
    ],
    ['vp9.webm', 2, [...PICTURES('30'), ...TONE, '-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8', '-c:a', 'libopus']],
    ['vfr.mkv', 1, [...PICTURES('30'), '-vf', 'select=not(mod(n\\,7))+not(mod(n\\,3))', '-fps_mode', 'vfr', ...H264]],
    ['late.mkv', 2, [...PICTURES('25'), '-itsoffset', '1.5', ...TONE, '-map', '0', '-map', '1', ...H264, '-c:a', 'flac']],
    ['hevc.mkv', 2, [...PICTURES('25'), ...TONE, '-c:v', 'libx265', '-x265-params', 'log-level=none', '-c:a', 'eac3']],
  ])('%s', { timeout: 120_000 }, async (name, streams, args) => {
    const bytes = film(name, ...args)
    const { outcome, bytes: result } = await pressFile(name.endsWith('webm') ? webm : mkv, bytes, name, { output: 'mp4', lossless: true })
    expect(outcome.kind, JSON.stringify(inEnglish(outcome))).toBe('compressed')
    const [before, after] = [join(folder, name), join(folder, `${name}.mp4`)]
    writeFileSync(after, result)
    for (let stream = 0; stream < streams; stream++) {
      const [old, made] = [packetsOf(before, stream), packetsOf(after, stream)]
      expect(made.map(({ data_hash }) => data_hash)).toEqual(old.map(({ data_hash }) => data_hash))
      expect(made.map(({ flags }) => flags[0])).toEqual(old.map(({ flags }) => flags[0]))
      // Matroska stores milliseconds.
      for (const [i, { pts_time }] of old.entries()) expect(Math.abs(Number(made[i]!.pts_time) - Number(pts_time))).toBeLessThan(0.0011)
    }
    const durations = [before, after].map((path) => Number(probe(path, '-show_format').format.duration))
    expect(Math.abs(durations[1]! - durations[0]!)).toBeLessThan(0.05)
    // Decodes every frame of every stream, and from the middle.
    for (const seek of [[], ['-ss', '3']])
      expect(spawnSync('ffmpeg', ['-v', 'error', ...seek, '-i', after, '-map', '0', '-f', 'null', '-'], { encoding: 'utf8' }).stderr).toBe(
        '',
      )
  })
})

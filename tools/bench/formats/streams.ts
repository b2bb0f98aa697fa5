/** Compares transport streams and Flash video that become MP4 without loss with `ffmpeg -c copy`. FFmpeg makes them of other films. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type Bench, files, native, ours } from '../harness.ts'

const QUIET = ['-v', 'error', '-nostdin', '-y']
/** First video track and first sound track. */
const COPY = ['-map', '0:v:0', '-map', '0:a:0?', '-c', 'copy']

export const bench: Bench = {
  title: 'MPEG-TS and FLV as MP4, lossless: against ffmpeg -c copy. Skipped: films that FFmpeg or Whittle cannot convert',
  *rows(corpus) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-streams-'))
    for (const path of files(join(corpus, 'video'), 'mp4', 'mov', 'avi')) {
      for (const container of ['ts', 'flv']) {
        const name = `${basename(path)}.${container}`
        const film = join(folder, name)
        if (spawnSync('ffmpeg', [...QUIET, '-i', path, ...COPY, film]).status !== 0) continue
        const we = ours(film, { format: 'mp4', lossless: true })
        const copied = join(folder, `${name}.mp4`)
        const peers = { 'ffmpeg -c copy': native('ffmpeg', [...QUIET, '-i', film, ...COPY, '-movflags', '+faststart', copied], copied) }
        if (we.outcome === 'compressed') yield { name, ours: we, peers }
      }
    }
    rmSync(folder, { recursive: true })
  },
}

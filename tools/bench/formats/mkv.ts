/** Compares Matroska films that become MP4 without loss with `ffmpeg -c copy`. The corpus has other films, so FFmpeg makes them Matroska. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type Bench, files, native, ours } from '../harness.ts'

const QUIET = ['-v', 'error', '-nostdin', '-y']
/** All tracks with their frames. */
const COPY = ['-map', '0', '-c', 'copy']
/** Bytes left free at the start, so that MP4 is smaller, whatever its index takes. */
const SPACE = ['-reserve_index_space', '65536']

export const bench: Bench = {
  title: 'Matroska as MP4, lossless: against ffmpeg -c copy. Skipped: films that FFmpeg or Whittle cannot convert',
  *rows(corpus) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-mkv-'))
    for (const path of files(join(corpus, 'video'), 'mp4', 'mov', 'avi')) {
      const film = join(folder, `${basename(path)}.mkv`)
      if (spawnSync('ffmpeg', [...QUIET, '-i', path, ...COPY, ...SPACE, film]).status !== 0) continue
      const we = ours(film, { format: 'mp4', lossless: true })
      const copied = join(folder, `${basename(path)}.mp4`)
      const peers = { 'ffmpeg -c copy': native('ffmpeg', [...QUIET, '-i', film, ...COPY, copied], copied) }
      if (we.outcome === 'compressed') yield { name: basename(path), ours: we, peers }
    }
    rmSync(folder, { recursive: true })
  },
}

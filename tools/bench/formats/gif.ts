import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type Bench, files, native, ours } from '../harness.ts'

export const bench: Bench = {
  title: 'GIF: high against gifsicle -O3, medium against --lossy=20 (the nearest in SSIM)',
  *rows(corpus) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-gif-'))
    for (const path of files(join(corpus, 'image'), 'gif')) {
      const out = join(folder, basename(path))
      const exact = native('gifsicle', ['-w', '-O3', path, '-o', out], out)
      yield { name: `${basename(path)} high`, ours: ours(path, { quality: 'high' }), peers: { 'gifsicle -O3': exact } }
      const lossy = native('gifsicle', ['-w', '-O3', '--lossy=20', path, '-o', out], out)
      yield { name: `${basename(path)} medium`, ours: ours(path, { quality: 'medium' }), peers: { 'gifsicle --lossy=20': lossy } }
    }
  },
}

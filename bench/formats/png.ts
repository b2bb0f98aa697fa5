import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type Bench, files, native, ours } from '../harness.ts'

/** Exact against exact; `palettes` puts pngquant beside what loses, at the same score. */
export const bench: Bench = {
  title: 'PNG: high against optipng -o5',
  *rows(corpus) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-png-'))
    for (const path of files(join(corpus, 'image'), 'png')) {
      const out = join(folder, basename(path))
      const exact = native('optipng', ['-quiet', '-o5', '-fix', '-force', '-clobber', '-out', out, path], out)
      yield { name: basename(path), ours: ours(path, { quality: 'high' }), peers: { 'optipng -o5': exact } }
    }
  },
}

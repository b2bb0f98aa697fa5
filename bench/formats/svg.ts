import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type Bench, files, native, ours } from '../harness.ts'

export const bench: Bench = {
  title: "SVG against svgo's default, which rounds without looking",
  *rows(corpus) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-svg-'))
    for (const path of files(join(corpus, 'vector/svg'), 'svg')) {
      const out = join(folder, basename(path))
      const svgo = native('node_modules/.bin/svgo', ['--multipass', '-q', '-i', path, '-o', out], out)
      for (const quality of ['low', 'high'])
        yield { name: `${basename(path)} ${quality}`, ours: ours(path, { quality }), peers: { 'svgo --multipass': svgo } }
    }
  },
}

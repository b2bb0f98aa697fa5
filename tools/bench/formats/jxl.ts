import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type Bench, files, native, ours } from '../harness.ts'

export const bench: Bench = {
  title: 'JPEG as JPEG XL, exactly: against cjxl --lossless_jpeg=1',
  *rows(corpus) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-jxl-'))
    for (const path of files(join(corpus, 'image'), 'jpg', 'jpeg')) {
      const out = join(folder, `${basename(path)}.jxl`)
      const cjxl = native('cjxl', ['--quiet', '--lossless_jpeg=1', '--num_threads=0', path, out], out)
      yield { name: basename(path), ours: ours(path, { format: 'jxl' }), peers: { cjxl } }
    }
    rmSync(folder, { recursive: true })
  },
}

import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type Bench, files, native, ours } from '../harness.ts'

/**
 * Compares lossless recompression by bytes. Lossy results are also listed, but their sizes mean nothing without quality; `photographs`
 * compares them at equal scores.
 */
export const bench: Bench = {
  title: 'JPEG: every level against jpegtran -progressive, which loses nothing',
  *rows(corpus) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-jpg-'))
    for (const path of files(join(corpus, 'image'), 'jpg', 'jpeg')) {
      const out = join(folder, basename(path))
      const peer = native('jpegtran', ['-copy', 'all', '-optimize', '-progressive', '-outfile', out, path], out)
      for (const quality of ['high', 'medium', 'low']) {
        yield { name: `${basename(path)} ${quality}`, ours: ours(path, { quality }), peers: { 'jpegtran -progressive': peer } }
      }
    }
  },
}

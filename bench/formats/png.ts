import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type Bench, files, native, ours } from '../harness.ts'

/** Exact against exact, and palettes against a palette of 64: for the latter the acceptance tool matches SSIM and PSNR. */
export const bench: Bench = {
  title: 'PNG: high against optipng -o5, medium against pngquant 64',
  *rows(corpus) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-png-'))
    for (const path of files(join(corpus, 'image'), 'png')) {
      const out = join(folder, basename(path))
      const exact = native('optipng', ['-quiet', '-o5', '-fix', '-force', '-clobber', '-out', out, path], out)
      yield { name: `${basename(path)} high`, ours: ours(path, { quality: 'high' }), peers: { 'optipng -o5': exact } }
      const quantised = native('pngquant', ['--speed', '1', '--force', '--output', out, '64', path], out)
      yield { name: `${basename(path)} medium`, ours: ours(path, { quality: 'medium' }), peers: { 'pngquant 64': quantised } }
    }
  },
}

/** Compares gzip files that are compressed again with native programs that compress their content. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type Bench, files, native, ours } from '../harness.ts'

export const bench: Bench = {
  title: 'gzip files (of gzip -6), compressed again: against gzip -9 and pigz -11 of their content',
  *rows(corpus) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-gz-'))
    for (const path of files(join(corpus, 'text'), 'md', 'csv', 'json', 'xml', 'log', 'html', 'yaml', 'tex')) {
      const text = join(folder, basename(path))
      const packed = `${text}.gz`
      copyFileSync(path, text)
      // The suffix of each result is its own. `-n`: no name and time.
      const common = ['-n', '-k', '-f']
      const peers = {
        'gzip -9': native('gzip', ['-9', ...common, '-S', '.9', text], `${text}.9`),
        'pigz -11': native('pigz', ['-11', ...common, '-p', '1', '-S', '.11', text], `${text}.11`),
      }
      if (native('gzip', ['-6', ...common, text], packed)) yield { name: basename(path), ours: ours(packed), peers }
    }
    rmSync(folder, { recursive: true })
  },
}

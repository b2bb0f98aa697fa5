import { copyFileSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type Bench, files, native, ours } from '../harness.ts'

export const bench: Bench = {
  title: 'Text family, DXF, mail: .zst against zstd -19 and --ultra -22, .br against brotli -q 11, .gz against pigz -11',
  *rows(corpus) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-text-'))
    for (const path of [...files(join(corpus, 'cad'), 'dxf'), ...files(join(corpus, 'mail'), 'eml')]) {
      const out = join(folder, `${basename(path)}.zst`)
      const zstd = native('zstd', ['--ultra', '-22', '-q', '-f', path, '-o', out], out)
      yield { name: basename(path), ours: ours(path), peers: { 'zstd --ultra -22': zstd } }
    }
    for (const path of files(join(corpus, 'text'), 'md', 'csv', 'json', 'xml', 'log', 'html', 'yaml', 'tex')) {
      const out = join(folder, basename(path))
      yield {
        name: basename(path),
        ours: ours(path),
        peers: {
          'zstd -19': native('zstd', ['-19', '-q', '-f', path, '-o', `${out}.zst`], `${out}.zst`),
          'zstd --ultra -22': native('zstd', ['--ultra', '-22', '-q', '-f', path, '-o', `${out}.22`], `${out}.22`),
        },
      }
      const brotli = native('brotli', ['-q', '11', '-w', '24', '-f', path, '-o', `${out}.br`], `${out}.br`)
      yield { name: `${basename(path)} br`, ours: ours(path, { format: 'br' }), peers: { 'brotli -q 11': brotli } }
      copyFileSync(path, out)
      const pigz = native('pigz', ['-11', '-n', '-k', '-f', '-p', '1', out], `${out}.gz`)
      yield { name: `${basename(path)} gz`, ours: ours(path, { format: 'gz' }), peers: { 'pigz -11': pigz } }
    }
  },
}

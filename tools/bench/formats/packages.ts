import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type Bench, files, native, ours } from '../harness.ts'

export const bench: Bench = {
  title:
    'ZIP packages, lossless: against advzip -4 (zopfli, extra fields dropped) and 7z -mx=9 of the unpacked files. Below: what the levels leave of the upload',
  *rows(corpus) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-zip-'))
    const paths = ['document', 'ebook', 'geo'].flatMap((each) =>
      files(join(corpus, each), 'docx', 'xlsx', 'pptx', 'odt', 'ods', 'odp', 'ofd', 'epub', 'kmz', 'zip'),
    )
    for (const path of paths) {
      const copy = join(folder, basename(path))
      copyFileSync(path, copy)
      const advzip = native('advzip', ['-4', '-z', '-q', copy], copy)
      const unpacked = `${copy}.d`
      mkdirSync(unpacked)
      spawnSync('7z', ['x', '-bd', '-y', `-o${unpacked}`, path])
      const packed = `${copy}.7z.zip`
      const sevenZip = native('7z', ['a', '-tzip', '-mx=9', '-bd', '-mmt=1', packed, `${unpacked}/.`], packed)
      const exact = ours(path, { quality: 'high', lossless: true })
      yield { name: `${basename(path)} lossless`, ours: exact, peers: { 'advzip -4': advzip, '7z -mx=9': sevenZip } }
      const upload = { bytes: statSync(path).size, cpuSeconds: 0 }
      for (const quality of ['high', 'medium', 'low'])
        yield { name: `${basename(path)} ${quality}`, ours: ours(path, { quality }), peers: { [`upload (${quality})`]: upload } }
    }
  },
}

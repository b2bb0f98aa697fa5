import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type Bench, files, native, ours } from '../harness.ts'

/** Chunks that zopflipng must keep, because it would drop them. */
const KEPT = '--keepchunks=bKGD,cHRM,eXIf,gAMA,hIST,iCCP,iTXt,pHYs,sBIT,sPLT,sRGB,tEXt,tIME,zTXt'

/** Compares lossless results. `palettes` compares lossy results with pngquant at equal scores. */
export const bench: Bench = {
  title: 'PNG: high against optipng -o5, oxipng -o 4 and zopflipng, all chunks kept',
  *rows(corpus) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-png-'))
    for (const path of files(join(corpus, 'image'), 'png')) {
      const out = join(folder, basename(path))
      const exact = native('optipng', ['-quiet', '-o5', '-fix', '-force', '-clobber', '-out', out, path], out)
      const oxipng = native(
        'oxipng',
        ['-q', '-o', '4', '-t', '1', '--strip', 'none', '--force', '--out', `${out}.oxi.png`, path],
        `${out}.oxi.png`,
      )
      const zopfli = native('zopflipng', ['-y', KEPT, path, `${out}.zopfli.png`], `${out}.zopfli.png`)
      yield {
        name: basename(path),
        ours: ours(path, { quality: 'high' }),
        peers: { 'optipng -o5': exact, 'oxipng -o 4': oxipng, zopflipng: zopfli },
      }
    }
  },
}

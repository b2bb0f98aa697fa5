import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type Bench, files, type Measured, native, ours } from '../harness.ts'

export const bench: Bench = {
  title:
    "SVG against svgo's default, which rounds without measuring the loss, alone and with optipng -o5 and jpegtran for the pictures inside",
  *rows(corpus) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-svg-'))
    for (const path of files(join(corpus, 'vector/svg'), 'svg')) {
      const out = join(folder, basename(path))
      const svgo = native('node_modules/.bin/svgo', ['--multipass', '-q', '-i', path, '-o', out], out)
      const withPictures = svgo && withCompressedPictures(out, svgo)
      for (const quality of ['low', 'high'])
        yield {
          name: `${basename(path)} ${quality}`,
          ours: ours(path, { quality }),
          peers: { 'svgo --multipass': svgo, 'svgo and picture tools': withPictures },
        }
    }
  },
}

/** Compresses the data-URL pictures of svgo's result with native tools. Adds their CPU time and subtracts the saved bytes. */
function withCompressedPictures(path: string, svgo: Measured): Measured {
  let { bytes, cpuSeconds } = svgo
  const pictures = readFileSync(path, 'utf8').matchAll(/data:image\/(png|jpe?g);base64,([A-Za-z0-9+/=\s]{400,})/g)
  for (const [, type = '', encoded = ''] of pictures) {
    const [before, after] = [`${path}.${type}`, `${path}.out.${type}`]
    const picture = Buffer.from(encoded, 'base64')
    writeFileSync(before, picture)
    const smaller =
      type === 'png'
        ? native('optipng', ['-quiet', '-clobber', '-o5', '-out', after, before], after)
        : native('jpegtran', ['-copy', 'all', '-optimize', '-progressive', '-outfile', after, before], after)
    cpuSeconds += smaller?.cpuSeconds ?? 0
    const base64Bytes = (length: number) => 4 * Math.ceil(length / 3)
    bytes -= Math.max(0, base64Bytes(picture.length) - base64Bytes(smaller?.bytes ?? picture.length))
  }
  return { bytes, cpuSeconds }
}

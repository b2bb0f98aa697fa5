/**
 * `npm run look -- FILE|FOLDER … [-o look/]`: writes a page with each picture at every level, side by side at 100 %, with amplified
 * differences, measurements, and the result of a common tool at the same size. For developers of picture codecs.
 *
 * `--accept` stores the measurements of the forty difficult pictures as the reference for tests (accept.ts). Needs ImageMagick;
 * poppler for PDF pages. cjpeg (JPEG) and pngquant (PNG) are used if installed.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, extname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type PerceptualFigures, PerceptualMeter } from '../../src/core/metrics/perceptual.ts'
import { SimilarityMeter } from '../../src/core/metrics/ssim-psnr.ts'
import { page, type Shown } from './page.ts'
import { peerAt } from './peers.ts'

const LEVELS = ['high', 'medium', 'low'] as const
const PICTURES = /\.(jpe?g|png|gif|bmp|tiff?|webp|avif|svg|pdf)$/i
const MAGICK = 'convert'
const PAGE_DPI = 96

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: 'string', short: 'o', default: 'look' }, accept: { type: 'boolean', default: false } },
})
const out = resolve(values.out)
if (values.accept) {
  await (await import('./accept.ts')).accept(out)
  process.exit()
}
if (positionals.length === 0) throw new Error('Usage: npm run look -- FILE|FOLDER …')
mkdirSync(out, { recursive: true })

const rows: Shown[][] = []
for (const [index, file] of positionals.flatMap(filesIn).entries()) {
  const row = reviewPicture(file, String(index))
  rows.push(row)
  for (const { title, bytes, figures } of row) console.log(`${basename(file)}\t${title}\t${bytes}\t${figures}`)
}
writeFileSync(join(out, 'index.html'), page(rows))
console.log(join(out, 'index.html'))

function filesIn(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .map((name) => join(path, name))
    .filter((name) => PICTURES.test(name))
    .sort()
}

/** The original and its results, in display order. */
function reviewPicture(file: string, name: string): Shown[] {
  const type = extname(file).toLowerCase()
  const original = join(out, `${name}-original${type}`)
  copyFileSync(file, original)
  const before = displayable(original)
  const shown: Shown[] = [
    { title: `original of ${basename(file)}`, file: basename(before), bytes: statSync(file).size, figures: '', told: '' },
  ]
  for (const level of LEVELS) {
    const outputFile = join(out, `${name}-${level}${type}`)
    const told = compress(file, level, outputFile)
    const bytes = statSync(outputFile).size
    shown.push({ title: level, file: basename(displayable(outputFile)), bytes, figures: figuresOf(before, displayable(outputFile)), told })
    const peer = join(out, `${name}-${level}-peer${type}`)
    const peerName = peerAt(original, bytes, peer)
    if (!peerName) continue
    shown.push({
      title: `${peerName} at ${level}'s bytes`,
      file: basename(peer),
      bytes: statSync(peer).size,
      figures: figuresOf(before, peer),
      told: '',
    })
  }
  return shown
}

/** Compresses a file to `outputFile`. @returns the receipt as one line */
function compress(file: string, level: string, outputFile: string): string {
  const folder = join(out, 'made')
  const flags = ['--import', './tools/wasm-hook.ts', 'tools/try.ts', file, '-q', level, '-o', folder]
  const child = spawnSync(process.execPath, flags, { cwd: join(import.meta.dirname, '../..'), encoding: 'utf8' })
  const result = join(folder, basename(file))
  try {
    copyFileSync(result, outputFile)
  } catch {
    copyFileSync(file, outputFile)
  }
  rmSync(folder, { recursive: true, force: true })
  return child.stdout.trim()
}

/** File that a browser can display: the file itself, or the first page of a PDF, TIFF or BMP as PNG. */
function displayable(file: string): string {
  if (!/\.(pdf|tiff?|bmp)$/.test(file)) return file
  const png = `${file}.png`
  if (file.endsWith('.pdf')) execFileSync('pdftoppm', ['-r', `${PAGE_DPI}`, '-f', '1', '-l', '1', '-singlefile', '-png', file, file])
  else execFileSync(MAGICK, [`${file}[0]`, png])
  return png
}

function figuresOf(before: string, after: string): string {
  const [width, height] = sizeOf(before)
  const [otherWidth, otherHeight] = sizeOf(after)
  if (width !== otherWidth || height !== otherHeight) return `reduced to ${otherWidth} × ${otherHeight}`
  const [a, b] = [before, after].map(pixelsOf)
  const meters = [new SimilarityMeter(width!, height!, 4), new PerceptualMeter(width!, height!, 4)] as const
  for (let at = 0; at < a!.length; at += width! * 4) {
    for (const meter of meters) meter.push(a!.subarray(at, at + width! * 4), b!.subarray(at, at + width! * 4))
  }
  const { ssim, psnrDb } = meters[0].finish()
  return `SSIM ${ssim.toFixed(4)}, ${psnrDb.toFixed(1)} dB, ${describe(meters[1].finish())}`
}

function describe({ score, worstTile, cast, steps, bands, specks, dirt }: PerceptualFigures): string {
  return [
    `SSIMULACRA2 ${score?.toFixed(1) ?? '–'} (worst tile ${worstTile?.toFixed(1) ?? '–'})`,
    `cast ${cast.toFixed(1)}`,
    `steps ${steps.toFixed(2)}`,
    `bands ${bands.toFixed(2)}`,
    `specks ${specks.toFixed(1)}`,
    `dirt ${dirt.toFixed(2)}`,
  ].join(', ')
}

/** Width and height of the first frame. */
function sizeOf(file: string): number[] {
  return execFileSync('identify', ['-format', '%w %h', `${file}[0]`], { encoding: 'utf8' })
    .split(' ')
    .map(Number)
}

/** RGBA pixels of the first frame. */
function pixelsOf(file: string): Uint8Array {
  const raw = join(out, 'pixels')
  execFileSync(MAGICK, [`${file}[0]`, '-depth', '8', `rgba:${raw}`])
  const pixels = readFileSync(raw)
  rmSync(raw)
  return pixels
}

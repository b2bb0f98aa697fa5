/** Renders a picture and its result with ImageMagick, and scores them with ssimulacra2_rs. Neither shares code with Whittle. */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** PNG files of the worst frame of both pictures, with its SSIMULACRA 2 score. */
export interface Rendered {
  readonly before: string
  readonly after: string
  /** Lowest score on black, grey and white. `undefined`: ssimulacra2_rs is not installed or refused the pictures. */
  readonly score: number | undefined
}

/** Frames of an animation that are scored, spread evenly. */
const MOST_FRAMES = 6
const BACKGROUNDS = ['black', 'gray50', 'white']
const QUICK = ['-define', 'png:compression-level=1']

/**
 * Renders both files below `folder`. If frames were merged, only the first one is compared. `undefined`: ImageMagick is not installed.
 */
export function renderedWorst(path: string, result: string, folder: string): Rendered | undefined {
  const [before, after] = [framesOf(path, join(folder, 'before')), framesOf(result, join(folder, 'after'))]
  const frames = before.length === after.length ? before.length : 1
  const count = Math.min(MOST_FRAMES, frames)
  const pairs = Array.from({ length: count }, (_, index) => Math.floor((index * frames) / count)).flatMap((index) => {
    const [one, other] = [before[index], after[index]]
    return one && other ? [{ before: one, after: other, score: scoreOf(one, other) }] : []
  })
  return pairs.sort((a, b) => (a.score ?? 100) - (b.score ?? 100))[0]
}

function framesOf(path: string, stem: string): string[] {
  // ImageMagick doubles chroma without smoothing, which costs up to 6 points. libavif, like browsers, smooths it.
  if (path.endsWith('.avif')) spawnSync('avifdec', ['--png-compress', '1', path, `${stem}-0000.png`])
  // The status is not asked, because warnings about a header also set it.
  else spawnSync('convert', [path, '-auto-orient', '-coalesce', '-depth', '8', '-strip', ...QUICK, `PNG32:${stem}-%04d.png`])
  const folder = join(stem, '..')
  const names = readdirSync(folder).filter((name) => join(folder, name).startsWith(`${stem}-`))
  return names.sort().map((name) => join(folder, name))
}

function scoreOf(before: string, after: string): number | undefined {
  const files = [before, after]
  const { stdout } = spawnSync('identify', ['-format', '%[opaque]', ...files], { encoding: 'utf8' })
  if (stdout === 'truetrue') return opaqueScore(files)
  const scores = BACKGROUNDS.map((background) => {
    const flat = files.map((file) => `${file}.flat.png`)
    for (const [index, file] of files.entries())
      spawnSync('convert', [file, '-background', background, '-flatten', ...QUICK, `PNG24:${flat[index]}`])
    return opaqueScore(flat)
  })
  return scores.every((score) => score !== undefined) ? Math.min(...scores) : undefined
}

function opaqueScore(files: readonly string[]): number | undefined {
  const { stdout } = spawnSync('ssimulacra2_rs', ['image', ...files], { encoding: 'utf8' })
  const [found] = /-?\d+\.\d+/.exec(stdout ?? '') ?? []
  return found === undefined ? undefined : Number(found)
}

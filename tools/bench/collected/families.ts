/** Formats of `npm run bench -- collected`, each with the program that a developer would use instead. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { bytesAt, type Point } from '../equal-score.ts'
import { type Measured, native } from '../harness.ts'
import { perceptualFiguresOfFiles } from '../seen-of.ts'

/** A program that compresses a file without loss. */
interface ExactPeer {
  readonly kind: 'exact'
  readonly name: string
  /** Compresses a copy of the file. */
  compress(path: string, folder: string): Measured | undefined
}

/** A program that compresses a picture with loss. It is compared at the score of Whittle's result. */
interface ScoredPeer {
  readonly kind: 'scored'
  readonly name: string
  /** Encoder qualities, from the smallest result to the largest. */
  readonly qualities: readonly number[]
  args(quality: number, png: string, made: string): string[]
}

export interface Family {
  /** Name of the folder with the files, and of their format. */
  readonly format: string
  /** Extensions of the files besides the name of the format. */
  readonly extensions?: readonly string[]
  /** Requested output. `undefined`: the format itself. */
  readonly output?: 'jpg' | 'mp4'
  readonly peer?: ExactPeer | ScoredPeer
}

const exact = (name: string, compress: ExactPeer['compress']): ExactPeer => ({ kind: 'exact', name, compress })

const advzip = exact('advzip -4', (path, folder) => {
  const copy = join(folder, basename(path))
  copyFileSync(path, copy)
  return native('advzip', ['-4', '-z', '-q', copy], copy)
})

const flac = exact('flac -8', (path, folder) => {
  const made = join(folder, 'peer.flac')
  return native('flac', ['-8', '-s', '-f', '-o', made, path], made)
})

/** The program names its result after the file, so the content is unpacked below the name of the result. */
const pigz = exact('pigz -11', (path, folder) => {
  const content = join(folder, 'content')
  spawnSync('bash', ['-c', 'gzip -dc -- "$1" > "$2"', 'bash', path, content])
  return native('pigz', ['-11', '-n', '-k', '-f', '-p', '1', content], `${content}.gz`)
})

/** Number of packets of all streams. */
function packetsIn(path: string): number {
  const args = ['-v', 'quiet', '-count_packets', '-show_entries', 'stream=nb_read_packets', '-of', 'json', path]
  const { streams = [] } = JSON.parse(spawnSync('ffprobe', args, { encoding: 'utf8' }).stdout || '{}') as {
    readonly streams?: readonly { readonly nb_read_packets?: string }[]
  }
  return streams.reduce((sum, { nb_read_packets = '0' }) => sum + Number(nb_read_packets), 0)
}

/** A file is not compared if ffmpeg drops packets of it. */
const copyTo = (name: string): ExactPeer =>
  exact(`ffmpeg -c copy, ${name}`, (path, folder) => {
    const made = join(folder, `peer.${name}`)
    const measured = native('ffmpeg', ['-v', 'error', '-nostdin', '-y', '-i', path, '-map', '0', '-c', 'copy', made], made)
    return packetsIn(made) < packetsIn(path) ? undefined : measured
  })

const cwebp: ScoredPeer = {
  kind: 'scored',
  name: 'cwebp -m 6',
  qualities: [20, 35, 50, 65, 78, 88, 95, 100],
  args: (quality, png, made) => ['-quiet', '-m', '6', '-q', `${quality}`, png, '-o', made],
}
const avifenc: ScoredPeer = {
  kind: 'scored',
  name: 'avifenc -s 6',
  qualities: [50, 44, 38, 32, 26, 20, 14, 8],
  args: (quality, png, made) => ['-s', '6', '-j', '1', '--min', `${quality}`, '--max', `${quality}`, png, made],
}

const packages = (...formats: string[]): Family[] => formats.map((format) => ({ format, peer: advzip }))
const alone = (...formats: string[]): Family[] => formats.map((format) => ({ format }))

export const FAMILIES: readonly Family[] = [
  { format: 'webp', peer: cwebp },
  { format: 'avif', peer: avifenc },
  { format: 'heic', output: 'jpg' },
  { format: 'flac', peer: flac },
  ...alone('m4a', 'opus', 'aac'),
  { format: 'ogg', extensions: ['oga'] },
  { format: 'aiff', extensions: ['aif'] },
  { format: 'mkv', peer: copyTo('mkv') },
  { format: 'webm', peer: copyTo('webm') },
  { format: 'ts', output: 'mp4', peer: copyTo('mp4') },
  ...packages('odt', 'ods', 'odp', 'odg', 'zip', 'jar'),
  { format: 'gz', peer: pigz },
  ...alone('doc', 'xls', 'ppt', 'rtf'),
]

/** Programs that decode a format to PNG. */
const DECODERS: Readonly<Record<string, (path: string, png: string) => readonly [string, ...string[]]>> = {
  webp: (path, png) => ['dwebp', '-quiet', path, '-o', png],
  avif: (path, png) => ['avifdec', '-d', '8', path, png],
}

function toPng(path: string, format: string, png: string): boolean {
  rmSync(png, { force: true })
  const [program, ...args] = DECODERS[format]?.(path, png) ?? []
  return program !== undefined && spawnSync(program, args).status === 0
}

/**
 * Returns what the peer makes of a picture at the score of `result`. `undefined`: an animation, a picture that the programs cannot read, or
 * the peer does not reach the score.
 */
export async function atEqualScore(peer: ScoredPeer, path: string, family: Family, result: string, folder: string) {
  const [upload, ours, theirs] = ['upload.png', 'ours.png', 'theirs.png'].map((name) => join(folder, name)) as [string, string, string]
  const output = family.output ?? family.format
  if (!toPng(path, family.format, upload) || !toPng(result, output, ours)) return undefined
  const score = (await perceptualFiguresOfFiles(upload, 'png', ours, 'png'))?.score
  if (score === undefined) return undefined
  const points: Point[] = []
  for (const quality of peer.qualities) {
    const file = join(folder, `peer.${output}`)
    rmSync(file, { force: true })
    const measured = native(peer.name.split(' ')[0] ?? '', peer.args(quality, upload, file), file)
    if (!measured || !toPng(file, output, theirs)) break
    const reached = (await perceptualFiguresOfFiles(upload, 'png', theirs, 'png'))?.score
    if (reached !== undefined) points.push({ score: reached, measured, file })
    if (reached !== undefined && reached > score) break
  }
  return bytesAt(points, score)
}

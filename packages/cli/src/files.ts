/** Selects the input files of a command. */
import * as fs from 'node:fs'
import { existsSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { isAddress } from './address.ts'
import { type Destination, isBackup } from './place.ts'
import { CliError } from './trouble.ts'
import { type WalkFlags, walkFiles } from './walk.ts'

export interface InputFile {
  /** Path, or address of a file that the service fetches. */
  readonly path: string
  /** Size in bytes. 0 for an address. */
  readonly size: number
  /** Destination of the result. */
  readonly place: Destination
}

/** Files that earlier runs created: results, partial downloads, resume data. */
const CREATED_BY_WHITTLE =
  /\.whittled(-\d+)?(\.[^.]+)+$|\.tsk_\w+\.part$|(^|[/\\])\.whittle-[\w-]+\.part\d*$|(^|[/\\])\.whittle-resume\.json$/

/** Matches a path that may be a pattern. */
const PATTERN = /[*?[{]/

/**
 * Replaces patterns such as `photos/*.jpg` that the shell left, for example because they were quoted. A path that exists is no pattern.
 * @throws CliError if a pattern matches nothing
 */
export function expandPatterns(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    if (!PATTERN.test(path) || isAddress(path) || existsSync(path)) return [path]
    // Node 20 has no `globSync`.
    if (typeof fs.globSync !== 'function') throw new CliError('usage', `'${path}': patterns need Node 22. Remove the quotes.`)
    const found = fs.globSync(path).sort()
    if (found.length === 0) throw new CliError('usage', `No file matches '${path}'.`)
    return found
  })
}

/**
 * Collects named files, and files in named folders except those that earlier runs created.
 * @throws Trouble if a path does not exist or is no file or folder
 */
export function collectFiles(paths: readonly string[], place: Destination, flags: WalkFlags): { jobs: InputFile[]; leftOut: number } {
  const jobs: InputFile[] = []
  let leftOut = 0
  for (const path of paths) {
    if (isAddress(path)) {
      jobs.push({ path, size: 0, place })
      continue
    }
    if (!existsSync(path)) throw new CliError('usage', `File not found: '${path}'.`)
    const info = statSync(path)
    if (!info.isDirectory()) {
      if (!info.isFile()) throw new CliError('usage', `'${path}' is neither a file nor a folder. Use - for standard input.`)
      // A pattern such as *.jpg names the originals that an earlier run kept.
      if (place.kind !== 'inPlace' || !isBackup(path)) jobs.push({ path, size: info.size, place })
      continue
    }
    const isResult = resultTest(path, place)
    leftOut += walkFiles(path, flags, (inner) => {
      if (CREATED_BY_WHITTLE.test(inner) || isBackup(inner) || isResult(inner)) return
      const destination = place.kind === 'folder' ? { ...place, folder: join(place.folder, dirname(relative(path, inner))) } : place
      // The file may have been deleted meanwhile.
      const size = statSync(inner, { throwIfNoEntry: false })?.size
      if (size !== undefined) jobs.push({ path: inner, size, place: destination })
    })
  }
  return { jobs: jobs.sort((a, b) => a.path.localeCompare(b.path)), leftOut }
}

/** Test for files in the output folder, for example `whittle . -o out`. They are no input, unless `out` itself was named. */
function resultTest(folder: string, place: Destination): (path: string) => boolean {
  if (place.kind !== 'folder') return () => false
  const results = resolve(place.folder) + sep
  if (`${resolve(folder)}${sep}`.startsWith(results)) return () => false
  return (path) => resolve(path).startsWith(results)
}

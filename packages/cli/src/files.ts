/** Selects the input files of a command. */
import { existsSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { type Destination, isBackup } from './place.ts'
import { CliError } from './trouble.ts'
import { type WalkFlags, walkFiles } from './walk.ts'

export interface InputFile {
  readonly path: string
  readonly size: number
  /** Destination of the result. */
  readonly place: Destination
}

/** Files that earlier runs created: results, partial downloads, resume data. */
const CREATED_BY_WHITTLE = /\.whittled(-\d+)?(\.[^.]+)+$|\.tsk_\w+\.part$|(^|[/\\])\.whittle-resume\.json$/

/**
 * Collects named files, and files in named folders except those that earlier runs created.
 * @throws Trouble if a path does not exist or is no file or folder
 */
export function collectFiles(paths: readonly string[], place: Destination, flags: WalkFlags): { jobs: InputFile[]; leftOut: number } {
  const jobs: InputFile[] = []
  let leftOut = 0
  for (const path of paths) {
    if (!existsSync(path)) throw new CliError('usage', `File not found: '${path}'.`)
    const info = statSync(path)
    if (!info.isDirectory()) {
      if (!info.isFile()) throw new CliError('usage', `'${path}' is neither a file nor a folder. Use - for standard input.`)
      jobs.push({ path, size: info.size, place })
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

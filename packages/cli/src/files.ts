/** Which files are meant. */
import { existsSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { isBackup, type Place } from './place.ts'
import { Trouble } from './trouble.ts'
import { type WalkFlags, walk } from './walk.ts'

export interface Job {
  readonly path: string
  readonly size: number
  /** Where its result goes. */
  readonly place: Place
}

/** Results of an earlier run are no input. */
const OURS = /\.whittled(-\d+)?(\.[^.]+)+$|\.tsk_\w+\.part$|(^|[/\\])\.whittle-resume\.json$/

/** Named files, and the files below named folders but for what earlier runs left there. */
export function collect(paths: readonly string[], place: Place, flags: WalkFlags): { jobs: Job[]; leftOut: number } {
  const jobs: Job[] = []
  let leftOut = 0
  for (const path of paths) {
    if (!existsSync(path)) throw new Trouble('usage', `There is no file '${path}'.`)
    const found = statSync(path)
    if (!found.isDirectory()) {
      if (!found.isFile()) throw new Trouble('usage', `'${path}' is neither a file nor a folder; - is standard input.`)
      jobs.push({ path, size: found.size, place })
      continue
    }
    const isResult = resultsOf(path, place)
    leftOut += walk(path, flags, (inner) => {
      if (OURS.test(inner) || isBackup(inner) || isResult(inner)) return
      const below = place.kind === 'folder' ? { ...place, folder: join(place.folder, dirname(relative(path, inner))) } : place
      // It may have gone since.
      const size = statSync(inner, { throwIfNoEntry: false })?.size
      if (size !== undefined) jobs.push({ path: inner, size, place: below })
    })
  }
  return { jobs: jobs.sort((a, b) => a.path.localeCompare(b.path)), leftOut }
}

/** `whittle . -o out`: what lies in `out` is no input, unless `out` itself was named. */
function resultsOf(folder: string, place: Place): (path: string) => boolean {
  if (place.kind !== 'folder') return () => false
  const results = resolve(place.folder) + sep
  if (`${resolve(folder)}${sep}`.startsWith(results)) return () => false
  return (path) => resolve(path).startsWith(results)
}

/** Which files are meant, and where their results go. */
import { existsSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { Trouble } from './trouble.ts'
import { type WalkFlags, walk } from './walk.ts'

export interface Job {
  readonly path: string
  readonly size: number
  /** Folder of the result. */
  readonly folder: string
}

/** Results of an earlier run are no input. */
const OURS = /\.whittled(-\d+)?(\.[^.]+)+$|(^|[/\\])\.whittle-resume\.json$/

/** Named files, and the files below named folders. Without `out` a result lies beside its file. */
export function collect(paths: readonly string[], out: string | undefined, flags: WalkFlags): { jobs: Job[]; leftOut: number } {
  const jobs: Job[] = []
  let leftOut = 0
  for (const path of paths) {
    if (!existsSync(path)) throw new Trouble('usage', `There is no file '${path}'.`)
    const found = statSync(path)
    if (!found.isDirectory()) {
      if (!found.isFile()) throw new Trouble('usage', `'${path}' is neither a file nor a folder; - is standard input.`)
      jobs.push({ path, size: found.size, folder: out ?? dirname(path) })
      continue
    }
    leftOut += walk(path, flags, (inner) => {
      if (OURS.test(inner)) return
      jobs.push({ path: inner, size: statSync(inner).size, folder: out ? join(out, dirname(relative(path, inner))) : dirname(inner) })
    })
  }
  return { jobs: jobs.sort((a, b) => a.path.localeCompare(b.path)), leftOut }
}

/** Where a result is written: `photo.whittled.jpg` beside its file, the result's own name in another folder. Never over the upload. */
export function resultPath(job: Job, outputName: string): string {
  const name = basename(outputName.replaceAll('\\', '/')).split(sep).at(-1) ?? 'result'
  if (join(job.folder, name) !== join(dirname(job.path), basename(job.path)) && job.folder !== dirname(job.path))
    return join(job.folder, name)
  const dot = name.indexOf('.', 1)
  return join(job.folder, dot === -1 ? `${name}.whittled` : `${name.slice(0, dot)}.whittled${name.slice(dot)}`)
}

/** `photo.jpg`, `photo-2.jpg`, `photo-3.jpg`, … */
export function numbered(path: string, number: number): string {
  if (number === 1) return path
  const name = basename(path)
  const dot = name.indexOf('.', 1)
  return join(dirname(path), dot === -1 ? `${name}-${number}` : `${name.slice(0, dot)}-${number}${name.slice(dot)}`)
}

/** Where results go, and how they get there: nothing is ever written over unless that was asked for. */
import { closeSync, existsSync, linkSync, mkdirSync, openSync, renameSync, statSync, unlinkSync } from 'node:fs'
import { basename, dirname, extname, join, sep } from 'node:path'
import { Trouble } from './trouble.ts'

export type Place =
  /** Next to its file, as `name.whittled.ext`. */
  | { readonly kind: 'beside' }
  | { readonly kind: 'folder'; readonly folder: string }
  /** Exactly there. */
  | { readonly kind: 'file'; readonly path: string }
  /** Instead of its file, which stays as `name.original.ext` where a backup is wanted. */
  | { readonly kind: 'inPlace'; readonly backup: boolean }

/** A result and the file that it is of. */
interface Placed {
  readonly path: string
  readonly place: Place
}

/** What a wrapper adds to the name of a file that stays what it is. */
const WRAPPED = ['', '.zst', '.gz', '.br']

/** `-o small.jpg` is a file where one file comes in; an existing folder, a name without an extension or with a slash at its end is a folder. */
export function namesFile(out: string): boolean {
  if (out.endsWith('/') || out.endsWith(sep) || extname(out) === '') return false
  return !statSync(out, { throwIfNoEntry: false })?.isDirectory()
}

/** `small.webp` made of `photo.jpg` asks for WebP; undefined where both are of a kind. */
export function formatOfName(out: string, path: string): string | undefined {
  const [wanted, given] = [out, path].map((name) => extname(name).slice(1).toLowerCase().replace('jpeg', 'jpg').replace('tiff', 'tif'))
  return wanted === given ? undefined : wanted
}

/** Where a result with the service's name for it is written. In place, that is where its file lies, unless it became something else. */
export function resultPath({ path, place }: Placed, outputName: string): string {
  const name = basename(outputName.replaceAll('\\', '/')).split(sep).at(-1) ?? 'result'
  if (place.kind === 'file') return place.path
  if (place.kind === 'inPlace') return isSameKind(name, path) ? path : join(dirname(path), name)
  if (place.kind === 'folder' && place.folder !== dirname(path)) return join(place.folder, name)
  return join(dirname(path), marked(name, 'whittled'))
}

const isSameKind = (name: string, path: string) => extname(name).toLowerCase() === extname(path).toLowerCase()

/** `photo.jpg` as `photo.MARK.jpg`. */
function marked(name: string, mark: string): string {
  const dot = name.indexOf('.', 1)
  return dot === -1 ? `${name}.${mark}` : `${name.slice(0, dot)}.${mark}${name.slice(dot)}`
}

const backupOf = (path: string) => join(dirname(path), marked(basename(path), 'original'))

/** A file that a result has replaced, and that lies beside it. */
export function isBackup(path: string): boolean {
  const name = basename(path)
  return name.includes('.original') && existsSync(join(dirname(path), name.replace('.original', '')))
}

/** The result that seems to be there already; the service alone knows what a result will be called. */
export function existing(placed: Placed, format: string | undefined): string | undefined {
  const { path, place } = placed
  if (place.kind === 'inPlace') return existsSync(backupOf(path)) ? path : undefined
  const name = basename(path)
  const stem = name.slice(0, name.length - extname(name).length)
  const names = format === undefined ? WRAPPED.map((end) => name + end) : [`${stem}.${format.replace('jpeg', 'jpg')}`, `${name}.${format}`]
  return names.map((candidate) => resultPath(placed, candidate)).find((candidate) => candidate !== path && existsSync(candidate))
}

/** Moves a finished result to where it belongs. @returns where it lies */
export function settle(from: string, wanted: string, { path, place }: Placed, force: boolean): string {
  mkdirSync(dirname(wanted), { recursive: true })
  if (place.kind === 'inPlace' && wanted === path) {
    if (place.backup) keepOriginal(path, backupOf(path), force)
    renameSync(from, path)
    return path
  }
  if (force && wanted !== path) {
    renameSync(from, wanted)
    return wanted
  }
  return place.kind === 'file' ? moveUnlessThere(from, wanted) : moveToFreeName(from, wanted)
}

/** The file has both names until the result takes its own: at no moment is there none. What an earlier run kept is the true original. */
function keepOriginal(path: string, backup: string, force: boolean): void {
  if (force && existsSync(backup)) return
  try {
    linkSync(path, backup)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw new Trouble('failed', `${backup} is there already; nothing was replaced`)
    // File systems without links (FAT, some network shares).
    renameSync(path, backup)
  }
}

function moveUnlessThere(from: string, path: string): string {
  try {
    // Fails where something has the name; a rename would replace it.
    closeSync(openSync(path, 'wx'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    unlinkSync(from)
    throw new Trouble('failed', `${path} is there already; --force writes over it`)
  }
  renameSync(from, path)
  return path
}

/** `photo.jpg`, `photo-2.jpg`, `photo-3.jpg`, …: never over the result of a file of the same name from another folder either. */
function moveToFreeName(from: string, wanted: string): string {
  for (let number = 1; ; number++) {
    const path = numbered(wanted, number)
    try {
      closeSync(openSync(path, 'wx'))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue
      throw error
    }
    renameSync(from, path)
    return path
  }
}

function numbered(path: string, number: number): string {
  if (number === 1) return path
  const name = basename(path)
  const dot = name.indexOf('.', 1)
  return join(dirname(path), dot === -1 ? `${name}-${number}` : `${name.slice(0, dot)}-${number}${name.slice(dot)}`)
}

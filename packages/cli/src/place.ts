/** Chooses where results are saved, and moves them there. Existing files are never overwritten without `--force`. */
import { closeSync, existsSync, linkSync, mkdirSync, openSync, renameSync, statSync, unlinkSync } from 'node:fs'
import { basename, dirname, extname, join, sep } from 'node:path'
import { isAddress } from './address.ts'
import { CliError } from './trouble.ts'

export type Destination =
  /** Beside its input, as `name.whittled.ext`. */
  | { readonly kind: 'beside' }
  | { readonly kind: 'folder'; readonly folder: string }
  /** At exactly this path. */
  | { readonly kind: 'file'; readonly path: string }
  /** Replaces its input, which is kept as `name.original.ext` if `backup` is true. */
  | { readonly kind: 'inPlace'; readonly backup: boolean }
  /** Nowhere: the service sends it to an address. */
  | { readonly kind: 'sent' }

/** The input path of a result, and its destination. */
interface Placed {
  readonly path: string
  readonly place: Destination
}

/** Extensions that compression adds to a file name. Empty: the format stays the same. */
const ADDED_EXTENSIONS = ['', '.zst', '.gz', '.br']

/** True if `--out` names a file. An existing folder, a trailing slash or a name without an extension means a folder. */
export function isFileName(out: string): boolean {
  if (out.endsWith('/') || out.endsWith(sep) || extname(out) === '') return false
  return !statSync(out, { throwIfNoEntry: false })?.isDirectory()
}

/** Format that the output name requests, for example WebP for `small.webp` from `photo.jpg`. `undefined`: the same format. */
export function formatOfName(out: string, path: string): string | undefined {
  const [destination, current] = [out, path].map((name) =>
    extname(name).slice(1).toLowerCase().replace('jpeg', 'jpg').replace('tiff', 'tif'),
  )
  return destination === current ? undefined : destination
}

/** Path for a result that the service calls `outputName`. With `--in-place` it is the input's path, unless the format changed. */
export function resultPath({ path, place }: Placed, outputName: string): string {
  const name = basename(outputName.replaceAll('\\', '/')).split(sep).at(-1) ?? 'result'
  if (place.kind === 'file') return place.path
  if (place.kind === 'inPlace') return isSameKind(name, path) ? path : join(dirname(path), name)
  if (isAddress(path)) return place.kind === 'folder' ? join(place.folder, name) : name
  if (place.kind === 'folder' && place.folder !== dirname(path)) return join(place.folder, name)
  return join(dirname(path), withMark(name, 'whittled'))
}

const isSameKind = (name: string, path: string) => extname(name).toLowerCase() === extname(path).toLowerCase()

/** Inserts a mark before the extension: `photo.jpg` becomes `photo.MARK.jpg`. */
function withMark(name: string, mark: string): string {
  const dot = name.indexOf('.', 1)
  return dot === -1 ? `${name}.${mark}` : `${name.slice(0, dot)}.${mark}${name.slice(dot)}`
}

const backupPath = (path: string) => join(dirname(path), withMark(basename(path), 'original'))

/** True if `path` is the backup of a file in the same folder. */
export function isBackup(path: string): boolean {
  const name = basename(path)
  return name.includes('.original') && existsSync(join(dirname(path), name.replace('.original', '')))
}

/** Path of a result that seems to exist already. A guess, because only the service knows the result's name. */
export function findExistingResult(target: Placed, format: string | undefined): string | undefined {
  const { path, place } = target
  if (isAddress(path) || place.kind === 'sent') return undefined
  if (place.kind === 'inPlace') return existsSync(backupPath(path)) ? path : undefined
  const name = basename(path)
  const stem = name.slice(0, name.length - extname(name).length)
  const names =
    format === undefined ? ADDED_EXTENSIONS.map((end) => name + end) : [`${stem}.${format.replace('jpeg', 'jpg')}`, `${name}.${format}`]
  return names.map((candidate) => resultPath(target, candidate)).find((candidate) => candidate !== path && existsSync(candidate))
}

/**
 * Moves a finished result to its destination. @returns its final path
 * @throws Trouble if the destination exists and must not be overwritten
 */
export function moveResult(from: string, destination: string, { path, place }: Placed, force: boolean): string {
  mkdirSync(dirname(destination), { recursive: true })
  if (place.kind === 'inPlace' && destination === path) {
    if (place.backup) keepOriginal(path, backupPath(path), force)
    renameSync(from, path)
    return path
  }
  if (force && destination !== path) {
    renameSync(from, destination)
    return destination
  }
  return place.kind === 'file' ? moveIfFree(from, destination) : moveToFreeName(from, destination)
}

/**
 * Links the backup before the result replaces the file, so that the file always exists. A backup of an earlier run is kept, because it
 * is the true original.
 */
function keepOriginal(path: string, backup: string, force: boolean): void {
  if (force && existsSync(backup)) return
  try {
    linkSync(path, backup)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new CliError('failed', `${backup} already exists, so ${path} was not replaced`)
    // For file systems without hard links, such as FAT and some network shares.
    renameSync(path, backup)
  }
}

function moveIfFree(from: string, path: string): string {
  try {
    // Creates the file only if the name is free. A rename would replace an existing file.
    closeSync(openSync(path, 'wx'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    unlinkSync(from)
    throw new CliError('failed', `${path} already exists. Use --force to overwrite it`)
  }
  renameSync(from, path)
  return path
}

/**
 * Moves to the first free name of `photo.jpg`, `photo-2.jpg`, `photo-3.jpg`, …. So files of the same name from different folders do
 * not collide.
 */
function moveToFreeName(from: string, destination: string): string {
  for (let number = 1; ; number++) {
    const path = withNumber(destination, number)
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

function withNumber(path: string, number: number): string {
  if (number === 1) return path
  const name = basename(path)
  const dot = name.indexOf('.', 1)
  return join(dirname(path), dot === -1 ? `${name}-${number}` : `${name.slice(0, dot)}-${number}${name.slice(dot)}`)
}

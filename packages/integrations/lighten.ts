/** Compresses files of a Git work tree in place. Used by the GitHub Action and the pre-commit hook. */
import { createHash } from 'node:crypto'
import { chmodSync, createReadStream, lstatSync, realpathSync } from 'node:fs'
import { extname, join, sep } from 'node:path'
import {
  ApiError,
  type CompressOptions,
  type Receipt,
  TaskFailedError,
  UnreachableError,
  type Whittle,
} from '../clients/typescript/src/index.ts'
import { fileAt, save } from '../clients/typescript/src/node.ts'

/**
 * Extensions of pictures and documents whose results keep their format. Text is not among them, because its result would be an
 * archive.
 */
const EXTENSIONS = 'jpg jpeg png webp avif gif bmp svg tif tiff pdf docx xlsx pptx odt ods odp odg ofd epub'.split(' ')

export interface FileResult {
  /** Path relative to the root of the work tree, with `/`. */
  readonly path: string
  readonly outcome: 'smaller' | 'unchanged' | 'failed'
  /** Size in bytes before the compression. Equal to `size` if nothing was written. */
  readonly originalSize: number
  readonly size: number
  /** Why the file is unchanged, or the error message. */
  readonly reason?: string
  readonly receipt?: Receipt
}

export interface CompressionSettings {
  readonly quality: NonNullable<CompressOptions['quality']>
  /** Smallest saving in percent that replaces a file. Avoids another lossy compression for a few bytes. */
  readonly minSavingPercent: number
  /** SHA-256 of earlier results, which are not compressed again. */
  readonly results: ReadonlySet<string>
}

/** Parses and checks the settings. @throws Error that names an invalid value */
export function parseSettings(quality: string, leastSaving: string, results: readonly string[]): CompressionSettings {
  if (quality !== 'low' && quality !== 'medium' && quality !== 'high' && quality !== 'ultra') {
    throw new Error(`Invalid quality '${quality}': expected low, medium, high or ultra.`)
  }
  const leastSavingPercent = Number(leastSaving)
  if (!(leastSavingPercent >= 0 && leastSavingPercent < 100)) {
    throw new Error(`Invalid least-saving '${leastSaving}': expected a percentage from 0 to below 100.`)
  }
  return { quality, minSavingPercent: leastSavingPercent, results: new Set(results) }
}

/** True if the extension belongs to a supported format. */
export const isSupported = (path: string) => EXTENSIONS.includes(extname(path).slice(1).toLowerCase())

/**
 * Replaces each supported file of `paths` by its smaller result, four at a time. Skips earlier results.
 * @throws ApiError if the service refuses the key or the account is over its limit
 * @throws UnreachableError if the service does not respond
 */
export async function compressInPlace(
  whittle: Whittle,
  root: string,
  paths: readonly string[],
  settings: CompressionSettings,
): Promise<FileResult[]> {
  const results: FileResult[] = []
  const queue = paths.filter(isSupported)
  const worker = async () => {
    for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
      const one = await lighten(whittle, root, path, settings)
      if (one) results.push(one)
    }
  }
  await Promise.all([worker(), worker(), worker(), worker()])
  return results.sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** Compresses one file. @returns `undefined` if it is no file of the work tree, or an earlier result */
async function lighten(whittle: Whittle, root: string, path: string, settings: CompressionSettings): Promise<FileResult | undefined> {
  const file = fileInTree(root, path)
  if (file === undefined || settings.results.has(await sha256Of(file))) return undefined
  const { size: originalSize } = lstatSync(file)
  const unchanged = { path, originalSize, size: originalSize }
  try {
    return await replace(whittle, { file, path, originalSize }, settings)
  } catch (error) {
    if (error instanceof UnreachableError || (error instanceof ApiError && [401, 402, 403, 429].includes(error.status))) throw error
    if (error instanceof ApiError || error instanceof TaskFailedError) return { ...unchanged, outcome: 'failed', reason: error.message }
    throw error
  }
}

interface Original {
  readonly file: string
  readonly path: string
  readonly originalSize: number
}

async function replace(whittle: Whittle, { file, path, originalSize }: Original, settings: CompressionSettings): Promise<FileResult> {
  const task = await whittle.compress(fileAt(file), { quality: settings.quality })
  try {
    const { result: receipt, compressed_size: size } = task
    const unchanged = { path, originalSize, size: originalSize, receipt }
    if (receipt.outcome === 'unchanged')
      return { ...unchanged, outcome: 'unchanged', reason: receipt.detail ?? receipt.reason.replaceAll('_', ' ') }
    const isSameKind = extname(task.output_name).toLowerCase() === extname(file).toLowerCase()
    const savesEnough = size <= originalSize * (1 - settings.minSavingPercent / 100)
    if (!isSameKind || !savesEnough)
      return {
        ...unchanged,
        outcome: 'unchanged',
        reason: isSameKind ? 'the saving is below the minimum' : 'the result would have another file type',
      }
    const { mode } = lstatSync(file)
    await save(whittle, task, file)
    chmodSync(file, mode)
    return { path, outcome: 'smaller', originalSize, size, receipt }
  } finally {
    await whittle.remove(task.task_id)
  }
}

/**
 * Absolute path of a regular file in the work tree. `undefined`: no such file. Symbolic links are refused, because they may lead to
 * private files.
 */
function fileInTree(root: string, path: string): string | undefined {
  const file = join(root, path)
  if (!lstatSync(file, { throwIfNoEntry: false })?.isFile()) return undefined
  const top = realpathSync(root)
  return realpathSync(file) === join(top, path) && file.startsWith(root + sep) ? file : undefined
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

/** A file of a work tree made smaller where it is: what the GitHub Action and the pre-commit hook have in common. */
import { createHash } from 'node:crypto'
import { chmodSync, createReadStream, lstatSync, realpathSync } from 'node:fs'
import { extname, join, sep } from 'node:path'
import { ApiError, type Receipt, TaskFailedError, UnreachableError, type Whittle, type Wishes } from '../clients/typescript/src/index.ts'
import { fileAt, save } from '../clients/typescript/src/node.ts'

/** Pictures and documents whose results are of the same kind; text would become an archive. */
const EXTENSIONS = 'jpg jpeg png gif bmp svg tif tiff pdf docx xlsx pptx ofd epub'.split(' ')

export interface Lightened {
  /** From the root of the work tree, with `/`. */
  readonly path: string
  readonly outcome: 'smaller' | 'unchanged' | 'failed'
  /** Bytes, before and after; the same where nothing was written. */
  readonly originalSize: number
  readonly size: number
  /** Why it is unchanged, or what failed. */
  readonly why?: string
  readonly receipt?: Receipt
}

export interface Manner {
  readonly quality: NonNullable<Wishes['quality']>
  /** What gains less stays as it is, so that nothing is compressed again for the sake of a few bytes. */
  readonly leastSavingPercent: number
  /** SHA-256 of files that are results already. */
  readonly results: ReadonlySet<string>
}

/** Out of words. @throws Error where one is none */
export function mannerOf(quality: string, leastSaving: string, results: readonly string[]): Manner {
  if (quality !== 'low' && quality !== 'medium' && quality !== 'high' && quality !== 'ultra') {
    throw new Error(`quality is '${quality}'; it takes low, medium, high or ultra.`)
  }
  const leastSavingPercent = Number(leastSaving)
  if (!(leastSavingPercent >= 0 && leastSavingPercent < 100)) {
    throw new Error(`least-saving is '${leastSaving}'; it takes percent, from 0 to below 100.`)
  }
  return { quality, leastSavingPercent, results: new Set(results) }
}

/** Whether it may come back smaller, by its name. */
export const isMeant = (path: string) => EXTENSIONS.includes(extname(path).slice(1).toLowerCase())

/**
 * Those of `paths` that are meant and no results already, each written over by its smaller result. Four at a time.
 * @throws ApiError, UnreachableError where the service takes nothing at all: no key, no plan, nobody there
 */
export async function lightenAll(whittle: Whittle, root: string, paths: readonly string[], manner: Manner): Promise<Lightened[]> {
  const done: Lightened[] = []
  const queue = paths.filter(isMeant)
  const worker = async () => {
    for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
      const one = await lighten(whittle, root, path, manner)
      if (one) done.push(one)
    }
  }
  await Promise.all([worker(), worker(), worker(), worker()])
  return done.sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** @returns undefined: it is no file of this tree, or it is a result already */
async function lighten(whittle: Whittle, root: string, path: string, manner: Manner): Promise<Lightened | undefined> {
  const file = inside(root, path)
  if (file === undefined || manner.results.has(await sha256Of(file))) return undefined
  const { size: originalSize } = lstatSync(file)
  const kept = { path, originalSize, size: originalSize }
  try {
    return await replace(whittle, { file, path, originalSize }, manner)
  } catch (error) {
    if (error instanceof UnreachableError || (error instanceof ApiError && [401, 402, 403, 429].includes(error.status))) throw error
    if (error instanceof ApiError || error instanceof TaskFailedError) return { ...kept, outcome: 'failed', why: error.message }
    throw error
  }
}

interface Original {
  readonly file: string
  readonly path: string
  readonly originalSize: number
}

async function replace(whittle: Whittle, { file, path, originalSize }: Original, manner: Manner): Promise<Lightened> {
  const task = await whittle.compress(fileAt(file), { quality: manner.quality })
  try {
    const { result: receipt, compressed_size: size } = task
    const kept = { path, originalSize, size: originalSize, receipt }
    if (receipt.outcome === 'unchanged')
      return { ...kept, outcome: 'unchanged', why: receipt.detail ?? receipt.reason.replaceAll('_', ' ') }
    const isSameKind = extname(task.output_name).toLowerCase() === extname(file).toLowerCase()
    const isWorthIt = size <= originalSize * (1 - manner.leastSavingPercent / 100)
    if (!isSameKind || !isWorthIt)
      return { ...kept, outcome: 'unchanged', why: isSameKind ? 'it gains too little' : 'it would be of another kind' }
    const { mode } = lstatSync(file)
    await save(whittle, task, file)
    chmodSync(file, mode)
    return { path, outcome: 'smaller', originalSize, size, receipt }
  } finally {
    await whittle.remove(task.task_id)
  }
}

/** undefined: it is no plain file of the tree. A link may lead to what nobody wants to publish. */
function inside(root: string, path: string): string | undefined {
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

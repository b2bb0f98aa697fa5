/** Implements `whittle unpack FILE`: gives back the file that a result holds byte for byte. Needs no service. */
import { existsSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { loadEnglishTexts } from '../../../src/core/i18n/message.ts'
import { type Destination, isFileName, moveResult } from './place.ts'
import { formatBytes } from './show.ts'
import { openThreads } from './threads.ts'
import { CliError } from './trouble.ts'

export interface UnpackFlags {
  json?: boolean
  /** Output folder or file name. `undefined`: the folder of the compressed file. */
  out?: string
  force?: boolean
}

/**
 * Unpacks in a thread, so that a damaged file ends the thread at most. Prints the path of the file.
 * @throws CliError if the file does not exist, holds no other file, or is damaged
 */
export async function unpack(path: string, { json, out, force = false }: UnpackFlags): Promise<void> {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) throw new CliError('usage', `File not found: '${path}'.`)
  const isNamed = out !== undefined && isFileName(out)
  const folder = isNamed ? dirname(out) : (out ?? dirname(path))
  if (!existsSync(folder)) throw new CliError('usage', `Folder not found: '${folder}'.`)
  const place: Destination = isNamed ? { kind: 'file', path: out } : { kind: 'folder', folder }
  // For the text of an error that the thread reports.
  await loadEnglishTexts()
  const threads = openThreads(1)
  try {
    const made = await threads.run('unpack', { path, prefix: join(folder, `.whittle-${process.pid}-${crypto.randomUUID()}.part`) })
    const destination = isNamed ? out : join(folder, basename(made.name))
    const saved = moveResult(made.path, destination, { path, place }, force)
    const { size } = statSync(saved)
    console.log(json ? JSON.stringify({ path: saved, size }) : `${saved}: ${formatBytes(size)}`)
  } catch (error) {
    throw error instanceof CliError ? error : new CliError('failed', `${path}: ${error instanceof Error ? error.message : String(error)}`)
  } finally {
    await threads.close()
  }
}

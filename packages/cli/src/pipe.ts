/**
 * Implements `whittle -`: reads a file from standard input and writes its result to standard output. All messages go to standard
 * error.
 */
import { createReadStream, createWriteStream, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { InputFile } from './files.ts'
import type { Destination } from './place.ts'
import type { Report } from './press.ts'
import { CliError } from './trouble.ts'

export interface PipedFile {
  readonly job: InputFile
  /** Copies the result to standard output, if there is one. */
  writeResult(reports: readonly Report[]): Promise<void>
  remove(): void
}

/**
 * Stores standard input in a temporary file, because an upload needs its size and may be repeated after a network error.
 * @throws Trouble if standard input is a terminal
 */
export async function readStdin(name: string, place: Destination | undefined): Promise<PipedFile> {
  if (process.stdin.isTTY) throw new CliError('usage', 'No data on standard input. Pipe a file into whittle -.')
  const folder = mkdtempSync(join(tmpdir(), 'whittle-'))
  const path = join(folder, basename(name))
  await pipeline(process.stdin, createWriteStream(path))
  const results = join(folder, 'result')
  mkdirSync(results)
  return {
    job: { path, size: statSync(path).size, place: place ?? { kind: 'folder', folder: results } },
    async writeResult([report]) {
      if (place !== undefined || report?.result === undefined) return
      await pipeline(createReadStream(report.result), process.stdout, { end: false }).catch((error: NodeJS.ErrnoException) => {
        // The reader has closed the pipe and needs no more data.
        if (error.code !== 'EPIPE') throw error
      })
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

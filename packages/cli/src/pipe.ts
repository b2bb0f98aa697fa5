/**
 * Implements `whittle -` and `-o -`: a file from standard input, or a result to standard output. All messages then go to standard
 * error.
 */
import { createReadStream, createWriteStream, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { InputFile } from './files.ts'
import type { Destination } from './place.ts'
import type { Report } from './run.ts'
import { CliError } from './trouble.ts'

export interface PipedFile {
  readonly job: InputFile
  /** True: the result goes to standard output. */
  readonly toStdout: boolean
  /** Copies the result to standard output, if it goes there and there is one. */
  writeResult(reports: readonly Report[]): Promise<void>
  remove(): void
}

/**
 * Opens one input for a pipe. Standard input is stored in a temporary file, because its size is needed and it is read more than once.
 * @param path file; `undefined`: standard input, whose file name is `name`
 * @param place destination of the result; `undefined`: standard output
 * @throws CliError if standard input is a terminal, or the file does not exist
 */
export async function pipedFile(path: string | undefined, name: string, place: Destination | undefined): Promise<PipedFile> {
  if (path === undefined && process.stdin.isTTY) throw new CliError('usage', 'No data on standard input. Pipe a file into whittle -.')
  if (path !== undefined && !statSync(path, { throwIfNoEntry: false })?.isFile()) throw new CliError('usage', `File not found: '${path}'.`)
  const folder = mkdtempSync(join(tmpdir(), 'whittle-'))
  const input = path ?? join(folder, basename(name))
  if (path === undefined) await pipeline(process.stdin, createWriteStream(input))
  const results = join(folder, 'result')
  mkdirSync(results)
  return {
    job: { path: input, size: statSync(input).size, place: place ?? { kind: 'folder', folder: results } },
    toStdout: place === undefined,
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

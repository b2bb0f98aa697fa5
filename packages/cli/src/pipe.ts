/** `whittle -`: a file from standard input, its result to standard output. Everything else goes to standard error. */
import { createReadStream, createWriteStream, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Job } from './files.ts'
import type { Place } from './place.ts'
import type { Report } from './press.ts'
import { Trouble } from './trouble.ts'

export interface Piped {
  readonly job: Job
  /** Writes the result, when there is one. */
  deliver(reports: readonly Report[]): Promise<void>
  remove(): void
}

/** Takes all of standard input: an upload tells its size, and is sent again when the line breaks. */
export async function fromStdin(name: string, wanted: Place | undefined): Promise<Piped> {
  if (process.stdin.isTTY) throw new Trouble('usage', 'There is nothing on standard input.')
  const folder = mkdtempSync(join(tmpdir(), 'whittle-'))
  const path = join(folder, basename(name))
  await pipeline(process.stdin, createWriteStream(path))
  const results = join(folder, 'result')
  mkdirSync(results)
  return {
    job: { path, size: statSync(path).size, place: wanted ?? { kind: 'folder', folder: results } },
    async deliver([report]) {
      if (wanted !== undefined || report?.result === undefined) return
      await pipeline(createReadStream(report.result), process.stdout, { end: false }).catch((error: NodeJS.ErrnoException) => {
        // Whoever reads has enough.
        if (error.code !== 'EPIPE') throw error
      })
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Builds the documentation site in a process of its own, after the service has started. */
import { spawn } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'

/** Script that builds the site. It ends at once if the site is up to date. */
const SCRIPT = 'pages/docs/build.ts'
/** Bytes of error text that are kept. */
const MAX_ERROR_LENGTH = 4000

/** Starts the build with low priority. @returns what went wrong. `undefined`: the site is up to date. */
export function buildDocsSite(root: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [join(root, SCRIPT)], { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] })
    let errors = ''
    child.stderr.on('data', (chunk: Buffer) => {
      errors = (errors + chunk).slice(-MAX_ERROR_LENGTH)
    })
    const stop = () => void child.kill('SIGKILL')
    process.once('exit', stop)
    child.once('spawn', () => {
      try {
        if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW)
      } catch {
        // It runs with normal priority.
      }
    })
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code) => {
      process.off('exit', stop)
      resolve(code === 0 ? undefined : errors.trim())
    })
  })
}

export const DOCS_BUILD_COMMAND = `node ${SCRIPT}`

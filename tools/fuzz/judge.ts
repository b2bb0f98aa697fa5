/**
 * Asks independent readers whether a result has the same contents as its original. The readers run in `judge.py`, a long-lived process.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import type { Compressed } from './trial.ts'

/** `none`: no reader is installed for the format, or no reader accepts the original. */
export type Verdict = { readonly kind: 'agrees' | 'none' } | { readonly kind: 'disagrees'; readonly why: string }

type Python = ChildProcessByStdio<Writable, Readable, null>

/** Milliseconds that a reader may take for both files. A reader that hangs gives no verdict. */
const TIMEOUT_MS = 30_000
/** Address space of a reader in KiB. Readers may allocate too much for hostile files. */
const MOST_KIB = 2 * 2 ** 20

export class Judge implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'whittle-fuzz-'))
  #python: Python | undefined
  #resolve: (answer: Verdict) => void = () => undefined

  async ask(original: Uint8Array, { format, output, outcome, result }: Compressed): Promise<Verdict> {
    const paths = [join(this.#folder, 'original'), join(this.#folder, 'result')]
    writeFileSync(paths[0]!, original)
    writeFileSync(paths[1]!, result)
    const python = (this.#python ??= this.#start())
    const timer = setTimeout(() => python.kill('SIGKILL'), TIMEOUT_MS)
    const verdict = await new Promise<Verdict>((resolve) => {
      this.#resolve = resolve
      python.stdin.write(`${JSON.stringify({ paths, format, output, lossless: outcome.loss === undefined })}\n`)
    })
    clearTimeout(timer)
    return verdict
  }

  #start(): Python {
    const program = join(import.meta.dirname, 'judge.py')
    const command = `ulimit -v ${MOST_KIB}; exec "$1" -I "$2"`
    const python = spawn('/bin/sh', ['-c', command, 'judge', process.env['PYTHON'] ?? 'python3', program], {
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    python.stdin.on('error', () => undefined)
    createInterface({ input: python.stdout }).on('line', (line) => this.#resolve(JSON.parse(line) as Verdict))
    python.once('exit', () => {
      this.#python = undefined
      this.#resolve({ kind: 'none' })
    })
    return python
  }

  [Symbol.dispose](): void {
    this.#python?.kill('SIGKILL')
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

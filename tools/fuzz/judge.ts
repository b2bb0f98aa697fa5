/** Independent readers, asked whether a result holds what its original holds: `judge.py`, a process that lives on. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import type { Compressed } from './trial.ts'

/** `none`: no reader is installed for it, or none reads the original either. */
export type Verdict = { readonly kind: 'agrees' | 'none' } | { readonly kind: 'disagrees'; readonly why: string }

type Python = ChildProcessByStdio<Writable, Readable, null>

/** What a reader may take for both files; a reader that hangs is no judge. */
const PATIENCE_MS = 30_000
/** Address space, in KiB: readers are not written for strangers' files. */
const MOST_KIB = 2 * 2 ** 20

export class Judge implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'whittle-fuzz-'))
  #python: Python | undefined
  #hear: (answer: Verdict) => void = () => undefined

  async ask(original: Uint8Array, { format, output, outcome, result }: Compressed): Promise<Verdict> {
    const paths = [join(this.#folder, 'original'), join(this.#folder, 'result')]
    writeFileSync(paths[0]!, original)
    writeFileSync(paths[1]!, result)
    const python = (this.#python ??= this.#start())
    const timer = setTimeout(() => python.kill('SIGKILL'), PATIENCE_MS)
    const verdict = await new Promise<Verdict>((resolve) => {
      this.#hear = resolve
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
    createInterface({ input: python.stdout }).on('line', (line) => this.#hear(JSON.parse(line) as Verdict))
    python.once('exit', () => {
      this.#python = undefined
      this.#hear({ kind: 'none' })
    })
    return python
  }

  [Symbol.dispose](): void {
    this.#python?.kill('SIGKILL')
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

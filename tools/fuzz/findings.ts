/** Stores findings as files: the mutant, its minimised form, and the data to reproduce it. */
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Report, Trouble } from './link.ts'
import { minimise } from './minimise.ts'
import type { Mutant } from './mutant.ts'
import type { Runner } from './runner.ts'

const TRIALS = 150
/** Largest number of stored findings with the same signature. */
const MAX_PER_SIGNATURE = 3

/** Returns the signature of a finding: its message and place without numbers that differ between mutants. */
export const signatureOf = ({ kind, format, why = '' }: Report, asked: string): string => {
  const [first = '', ...stack] = why.split('\n')
  const place = stack.find((line) => line.includes('/src/') || line.includes('/wasm/'))?.replace(/^.*\/((?:src|wasm)\/[^:]+:\d+).*$/, '$1')
  return `${format ?? asked} ${kind}: ${first.replace(/-?\d[\d.e+]*/g, 'N').slice(0, 90)}${place === undefined ? '' : ` at ${place}`}`
}

export class Findings {
  readonly counts = new Map<string, number>()
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Stores a finding and minimises it. Returns its folder. `undefined`: enough findings with this signature are stored. */
  async keep(mutant: Mutant, report: Report, runner: Runner, origin: { seed: string; number: number }): Promise<string | undefined> {
    const signature = signatureOf(report, mutant.format)
    const count = (this.counts.get(signature) ?? 0) + 1
    this.counts.set(signature, count)
    if (count > MAX_PER_SIGNATURE) return undefined
    const hash = createHash('sha256').update(signature).digest('hex').slice(0, 6)
    const folder = join(this.#folder, `${mutant.format}-${report.kind}-${hash}-${origin.number}`)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, mutant.name), mutant.bytes)
    const { name, quality, output } = mutant
    writeFileSync(join(folder, 'finding.json'), `${JSON.stringify({ ...origin, name, quality, output, ...report }, null, 2)}\n`)
    const shows = async (bytes: Uint8Array) => signatureOf(await runner.run({ bytes, request: mutant }), mutant.format) === signature
    writeFileSync(join(folder, `smallest-${mutant.name}`), await minimise(mutant.bytes, shows, trialsFor(report.kind as Trouble)))
    return folder
  }
}

/** Returns the number of minimisation trials. A hang takes its whole time limit and a new process per trial. */
const trialsFor = (trouble: Trouble) => (trouble === 'hang' || trouble === 'memory' ? 6 : trouble === 'disagreement' ? 60 : TRIALS)

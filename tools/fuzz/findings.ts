/** What was found, kept as files: the mutant, its smallest form, and how to make it again. */
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Report, Trouble } from './link.ts'
import { minimised } from './minimise.ts'
import type { Mutant } from './mutant.ts'
import type { Runner } from './runner.ts'

const TRIALS = 150
/** Of one kind of trouble in one place so many are kept: the others say nothing new. */
const KEPT_OF_A_KIND = 3

/** Words of a finding without what changes from one mutant to the next. */
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

  /** @returns the folder where it was kept; undefined: there are enough of its kind */
  async keep(mutant: Mutant, report: Report, runner: Runner, how: { seed: string; number: number }): Promise<string | undefined> {
    const signature = signatureOf(report, mutant.format)
    const count = (this.counts.get(signature) ?? 0) + 1
    this.counts.set(signature, count)
    if (count > KEPT_OF_A_KIND) return undefined
    const hash = createHash('sha256').update(signature).digest('hex').slice(0, 6)
    const folder = join(this.#folder, `${mutant.format}-${report.kind}-${hash}-${how.number}`)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, mutant.name), mutant.bytes)
    const { name, quality, output } = mutant
    writeFileSync(join(folder, 'finding.json'), `${JSON.stringify({ ...how, name, quality, output, ...report }, null, 2)}\n`)
    const shows = async (bytes: Uint8Array) => signatureOf(await runner.run({ bytes, request: mutant }), mutant.format) === signature
    writeFileSync(join(folder, `smallest-${mutant.name}`), await minimised(mutant.bytes, shows, trialsFor(report.kind as Trouble)))
    return folder
  }
}

/** Each trial of what hangs takes its whole limit, and a new process. */
const trialsFor = (trouble: Trouble) => (trouble === 'hang' || trouble === 'memory' ? 6 : trouble === 'disagreement' ? 60 : TRIALS)

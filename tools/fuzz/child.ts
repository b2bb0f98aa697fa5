/** Child process of the fuzzer, which runs one file after the other: `node tools/fuzz/child.ts OPTIONS` (`ChildOptions` as JSON). */
import { Judge } from './judge.ts'
import type { ChildOptions, Report, Task } from './link.ts'
import { mutantOf } from './mutant.ts'
import { Random } from './random.ts'
import { seedsFor } from './seeds.ts'
import { type Request, tryFile } from './trial.ts'

const options = JSON.parse(process.argv[2] ?? '') as ChildOptions
const seeds = await seedsFor(options)
const judge = new Judge()

async function report(bytes: Uint8Array, request: Request, asks: boolean): Promise<Report> {
  const before = process.cpuUsage()
  const trial = await tryFile(bytes, request)
  const used = process.cpuUsage(before)
  const processorMs = (used.user + used.system) / 1000
  if (trial.kind === 'refused') return { kind: 'refused', processorMs }
  const { format } = trial
  if (trial.kind === 'unchanged') return { kind: 'unchanged', format, why: trial.reason, processorMs }
  if (trial.kind !== 'compressed') return { kind: trial.kind, format, why: trial.why, processorMs }
  if (!asks) return { kind: 'compressed', format, processorMs }
  const verdict = await judge.ask(bytes, trial)
  if (verdict.kind === 'disagrees') return { kind: 'disagreement', format, why: verdict.why, processorMs }
  return { kind: 'compressed', format, processorMs, judged: verdict.kind === 'agrees' }
}

process.on('message', async (task: Task) => {
  const mutant = 'number' in task ? mutantOf(seeds, options.seed, task.number) : { ...task.request, bytes: task.bytes }
  const asks = !('number' in task) || new Random(options.seed, 'judge', task.number).chance(options.judge)
  process.send?.(await report(mutant.bytes, mutant, asks))
})
process.on('disconnect', () => {
  judge[Symbol.dispose]()
  process.exit()
})
process.send?.('ready')

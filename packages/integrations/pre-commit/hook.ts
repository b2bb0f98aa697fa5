/** The pre-commit hook: staged files become smaller where they are; whoever commits looks at them and stages them again. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { findServer } from '../../cli/src/config.ts'
import { Whittle } from '../../clients/typescript/src/index.ts'
import { type Lightened, lightenAll, mannerOf } from '../lighten.ts'

const OPTIONS = { quality: { type: 'string', default: 'medium' }, 'least-saving': { type: 'string', default: '5' } } as const
/** Of results that are remembered, so that the file that is committed the second time is not compressed again. */
const MAX_RESULTS = 10_000

/** @returns the exit code: 1 where a file became smaller, and has to be staged again */
export async function hook(args: string[]): Promise<number> {
  try {
    return await run(args)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    console.error(`whittle: ${error.message}\nSKIP=whittle git commit … goes without it.`)
    return 1
  }
}

async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true })
  const server = findServer({})
  if (!server) throw new Error('There is no service: run whittle login, or set WHITTLE_SERVER and WHITTLE_KEY.')
  const memory = execFileSync('git', ['rev-parse', '--path-format=absolute', '--git-path', 'whittle-results'], { encoding: 'utf8' }).trim()
  const results = existsSync(memory) ? readFileSync(memory, 'utf8').split('\n').filter(Boolean) : []
  const manner = mannerOf(values.quality, values['least-saving'], results)
  const files = await lightenAll(new Whittle(server), process.cwd(), positionals, manner)
  const smaller = files.filter(({ outcome }) => outcome === 'smaller')
  for (const file of files) if (file.outcome !== 'unchanged') console.log(lineOf(file))
  if (smaller.length === 0) return 0
  const fresh = smaller.map(({ path }) => createHash('sha256').update(readFileSync(path)).digest('hex'))
  writeFileSync(memory, `${[...results, ...fresh].slice(-MAX_RESULTS).join('\n')}\n`)
  console.log('Look at them, git add them, and commit again.')
  return 1
}

/** What fails is said and stops nobody: a file that is no picture may be what was meant. */
function lineOf({ path, outcome, originalSize, size, why, receipt }: Lightened): string {
  if (outcome === 'failed') return `${path}: left as it is: ${why}`
  const figures = receipt?.outcome === 'compressed' && receipt.ssim !== undefined ? `SSIM ${receipt.ssim}` : receipt?.fidelity
  return `${path}: ${originalSize} → ${size} bytes, ${figures}`
}

/** The pre-commit hook: compresses staged files in place. The user then reviews and stages them again. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { findServer } from '../../cli/src/config.ts'
import { Whittle } from '../../clients/typescript/src/index.ts'
import { compressInPlace, type FileResult, parseSettings } from '../lighten.ts'

const OPTIONS = { quality: { type: 'string', default: 'medium' }, 'least-saving': { type: 'string', default: '5' } } as const
/** Most hashes that are stored. They prevent that a committed result is compressed again. */
const MAX_RESULTS = 10_000

/** Runs the hook. @returns the exit code: 1 if a file was replaced and must be staged again, or the service failed */
export async function hook(args: string[]): Promise<number> {
  try {
    return await run(args)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    console.error(`whittle: ${error.message}\nTo commit without this hook: SKIP=whittle git commit …`)
    return 1
  }
}

async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true })
  const server = findServer({})
  if (!server) throw new Error('No service is configured. Run whittle login, or set WHITTLE_SERVER and WHITTLE_KEY.')
  const resultsFile = execFileSync('git', ['rev-parse', '--path-format=absolute', '--git-path', 'whittle-results'], {
    encoding: 'utf8',
  }).trim()
  const results = existsSync(resultsFile) ? readFileSync(resultsFile, 'utf8').split('\n').filter(Boolean) : []
  const settings = parseSettings(values.quality, values['least-saving'], results)
  const files = await compressInPlace(new Whittle(server), process.cwd(), positionals, settings)
  const smaller = files.filter(({ outcome }) => outcome === 'smaller')
  for (const file of files) if (file.outcome !== 'unchanged') console.log(lineOf(file))
  if (smaller.length === 0) return 0
  const newHashes = smaller.map(({ path }) => createHash('sha256').update(readFileSync(path)).digest('hex'))
  writeFileSync(resultsFile, `${[...results, ...newHashes].slice(-MAX_RESULTS).join('\n')}\n`)
  console.log('Review these files, stage them with git add, and commit again.')
  return 1
}

/** Line for one file. A failed file is reported, but does not stop the commit. */
function lineOf({ path, outcome, originalSize, size, reason: why, receipt }: FileResult): string {
  if (outcome === 'failed') return `${path}: unchanged, because compression failed: ${why}`
  const figures = receipt?.outcome === 'compressed' && receipt.ssim !== undefined ? `SSIM ${receipt.ssim}` : receipt?.fidelity
  return `${path}: ${originalSize} → ${size} bytes, ${figures}`
}

/**
 * Builds the command `whittle` for this checkout: `node tools/release/packages/command.ts`. `packages/cli/bin/whittle.mjs` runs it when a
 * source file has changed.
 */
import { randomUUID } from 'node:crypto'
import { globSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { COMMAND } from './build.ts'
import { bundle, ROOT } from './bundle.ts'

const FOLDER = join(ROOT, '.dev/command')
/** Files that affect the bundle although it does not import them. */
const ALWAYS = ['tools/release/packages/*.ts', 'package-lock.json']
/** Packages that `npm ci --omit=dev` leaves out. */
const DEVELOPMENT = { '@modelcontextprotocol/server': '`whittle mcp` needs the packages for development. Run `npm ci`, then try again.' }
/** Age in milliseconds at which an earlier bundle is deleted. A command that still runs loads chunks of its own bundle. */
const KEPT_MS = 24 * 60 * 60 * 1000

const name = randomUUID()
const temporary = join(FOLDER, `${name}.new`)
const { inputs } = await bundle({ ...COMMAND, optional: DEVELOPMENT }, temporary)
const files = [...new Set([...inputs, ...globSync(ALWAYS, { cwd: ROOT })])].map((path) => {
  const { mtimeMs, size } = statSync(join(ROOT, path))
  return [path, mtimeMs, size] as const
})
renameSync(temporary, join(FOLDER, name))
const state = join(FOLDER, `${name}.json.new`)
writeFileSync(state, JSON.stringify({ name, files }))
renameSync(state, join(FOLDER, 'built.json'))
for (const old of globSync('*', { cwd: FOLDER })) {
  const path = join(FOLDER, old)
  if (old !== 'built.json' && old !== name && Date.now() - statSync(path).mtimeMs > KEPT_MS) rmSync(path, { recursive: true, force: true })
}

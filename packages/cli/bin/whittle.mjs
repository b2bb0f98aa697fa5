#!/usr/bin/env node
// Runs the bundle of the published package. In a checkout it runs the bundle in .dev/command, which is built when a source has changed.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'

const published = new URL('../dist/main.js', import.meta.url)
const root = new URL('../../../', import.meta.url)
const folder = new URL('.dev/command/', root)

/** Returns the name of the bundle. `undefined`: there is none, or a source file has another time or size. */
function currentBundle() {
  try {
    const { name, files } = JSON.parse(readFileSync(new URL('built.json', folder), 'utf8'))
    const isSame = ([path, mtimeMs, size]) => {
      const info = statSync(new URL(path, root))
      return info.mtimeMs === mtimeMs && info.size === size
    }
    return files.every(isSame) && existsSync(new URL(`${name}/main.js`, folder)) ? name : undefined
  } catch {
    return undefined
  }
}

function build() {
  // Older versions of Node do not run TypeScript; on Linux, npm ci brings one that does.
  const brought = fileURLToPath(new URL('node_modules/.bin/node', root))
  const node = Number(process.versions.node.split('.')[0]) < 24 && existsSync(brought) ? brought : process.execPath
  const script = fileURLToPath(new URL('tools/release/packages/command.ts', root))
  const { status } = spawnSync(node, [script], { stdio: ['ignore', 'inherit', 'inherit'] })
  if (status !== 0) process.exit(status ?? 1)
  return currentBundle()
}

// `npm pack` in a checkout writes the published bundle for a moment, while other commands run.
const isPublished = existsSync(published) && !existsSync(new URL('tools/release/packages/command.ts', root))
const main = isPublished ? published : new URL(`${currentBundle() ?? build()}/main.js`, folder)
// The next start is faster with compiled code. Node 22 introduced the cache.
module.enableCompileCache?.(isPublished ? undefined : fileURLToPath(new URL('../compiled', folder)))
const { main: run } = await import(main.href)
process.exitCode = await run(process.argv)

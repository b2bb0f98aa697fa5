/** Engines under the GPL or LGPL, which the core package must not contain. */
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Plugin } from 'esbuild'

const ROOT = resolve(import.meta.dirname, '../../..')

/** Folders of the engines under the GPL or LGPL, as `origin.json` says. */
export const GPL_ENGINES = globSync('wasm/*/origin.json', { cwd: ROOT })
  .filter((path) => /"[AL]?GPL-/.test(readFileSync(join(ROOT, path), 'utf8')))
  .map(dirname)

/** Replaces the wrappers of GPL engines by one that throws. The check of receipts imports them for sound and films. */
export function gplWrappers(): Plugin {
  const wrappers = GPL_ENGINES.map((folder) => join(ROOT, folder, `${basename(folder)}.ts`))
  return {
    name: 'gpl-wrappers',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        if (!wrappers.includes(path)) return undefined
        const names = [...readFileSync(path, 'utf8').matchAll(/^export (?:class|const|function) (\w+)/gm)].map(([, name]) => name)
        const classes = names.map(
          (name) => `export class ${name} { constructor() { throw new Error('films and sound need @whittle-app/film') } }`,
        )
        return { contents: classes.join('\n'), loader: 'js' }
      })
    },
  }
}

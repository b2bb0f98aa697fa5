/** Engines under the GPL or LGPL, which the core package must not contain. */
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Plugin } from 'esbuild'

const ROOT = resolve(import.meta.dirname, '../../..')

/** Folders of the engines under the GPL or LGPL, as `origin.json` says. */
export const GPL_ENGINES = globSync('wasm/*/origin.json', { cwd: ROOT })
  .filter((path) => /"[AL]?GPL-/.test(readFileSync(join(ROOT, path), 'utf8')))
  .map(dirname)

/** What checks receipts of films, sound and HEIC. The packages without their formats never call it. */
const MEDIA_CHECKS = ['films', 'heic', 'sound'].map((name) => join(ROOT, `src/core/audit/${name}.ts`))
const EXPORTED_FUNCTION = /^export (?:async function|function|const) (\w+)/gm

/** Replaces the wrappers of GPL engines, and the checks of these formats, by ones that throw. */
export function gplWrappers(): Plugin {
  const wrappers = GPL_ENGINES.map((folder) => join(ROOT, folder, `${basename(folder)}.ts`))
  return {
    name: 'gpl-wrappers',
    setup({ onLoad }) {
      onLoad({ filter: /[/\\]audit[/\\](?:films|heic|sound)\.ts$/ }, ({ path }) => {
        if (!MEDIA_CHECKS.includes(path)) return undefined
        const names = [...readFileSync(path, 'utf8').matchAll(EXPORTED_FUNCTION)].map(([, name]) => name)
        const contents = names.map(
          (name) => `export const ${name} = () => { throw new Error('films, sound and HEIC need @whittle-app/film') }`,
        )
        return { contents: contents.join('\n'), loader: 'js' }
      })
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        if (!wrappers.includes(path)) return undefined
        const names = [...readFileSync(path, 'utf8').matchAll(/^export (?:class|const|function) (\w+)/gm)].map(([, name]) => name)
        const classes = names.map(
          (name) => `export class ${name} { constructor() { throw new Error('films, sound and HEIC need @whittle-app/film') } }`,
        )
        return { contents: classes.join('\n'), loader: 'js' }
      })
    },
  }
}

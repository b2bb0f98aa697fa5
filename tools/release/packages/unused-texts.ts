/** Leaves out the texts that a bundle never uses, such as those of films and sound. They would be a fifth of its messages. */
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { BuildOptions, Plugin } from 'esbuild'
import { build } from 'esbuild'

/** Tables of `src/core/i18n/en/`, except those whose codes are put together from a prefix and a name. */
const TABLES = /[/\\]i18n[/\\]en[/\\](?:common|documents|film|heif|pdf|pictures|science|sound|svg|tiff)\.ts$/
const WORD = /'(\w+)'/g

/**
 * Returns a plugin that keeps a text if its code is a word of any other input. Should a left-out code appear all the same, it is shown with
 * spaces instead of underscores.
 * @param options of the bundle that the plugin is for
 */
export async function withoutUnusedTexts(options: BuildOptions): Promise<Plugin> {
  const { metafile } = await build({ ...options, write: false, metafile: true })
  const root = options.absWorkingDir ?? '.'
  const words = new Set<string>()
  for (const input of Object.keys(metafile.inputs)) {
    if (!input.endsWith('.ts') || input.includes(':') || TABLES.test(input)) continue
    for (const [, word] of readFileSync(join(root, input), 'utf8').matchAll(WORD)) words.add(word!)
  }
  return {
    name: 'unused-texts',
    setup({ onLoad }) {
      onLoad({ filter: TABLES }, async ({ path }) => {
        const tables = Object.entries((await import(path)) as { [table: string]: { [code: string]: string } })
        const used = (texts: { [code: string]: string }) => Object.fromEntries(Object.entries(texts).filter(([code]) => words.has(code)))
        if (tables.length !== 1) throw new Error(`${basename(path)} has ${tables.length} exports, expected one table`)
        return { contents: tables.map(([name, texts]) => `export const ${name} = ${JSON.stringify(used(texts))}`).join('\n'), loader: 'js' }
      })
    },
  }
}

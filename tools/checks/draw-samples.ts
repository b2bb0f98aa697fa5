/**
 * Draws random comments, exported names or messages, without their files, to test whether a stranger understands them:
 * `node tools/checks/draw-samples.ts comments 100 SEED`. The same seed draws the same samples from the same tree.
 */

import { globSync, readFileSync } from 'node:fs'
import { EN } from '../../src/core/i18n/en.ts'
import { API_EN } from '../../src/service/i18n/en.ts'
import { randomNumbers } from '../../test/support/random-numbers.ts'

const CODE = [
  'src/**/*.ts',
  'durable-objects/**/*.ts',
  'packages/cli/src/**/*.ts',
  'tools/**/*.ts',
  'console/src/**/*.{ts,tsx}',
  'wasm/**/*.{ts,c,h}',
]
const TEXTS = { comments, names, messages }

/** Comments of all source files: block comments, and runs of line comments. */
function comments(): string[] {
  return sources()
    .flatMap((text) =>
      [...text.matchAll(/\/\*\*?[\s\S]*?\*\/|(?:^[ \t]*\/\/ .*\n?)+/gm)].map(([comment]) =>
        comment
          .replaceAll(/^\s*(\/\*\*?|\*\/|\*|\/\/)|\*\/\s*$/gm, '')
          .replaceAll(/\s+/g, ' ')
          .trim(),
      ),
    )
    .filter((comment) => comment.length > 0 && !comment.startsWith('biome-ignore'))
}

/** Exported names with their kind. */
function names(): string[] {
  return sources().flatMap((text) =>
    [...text.matchAll(/^export (?:declare |abstract |async )*(function\*?|class|const|interface|type) (\w+)/gm)].map(
      ([, kind, name]) => `${kind} ${name}`,
    ),
  )
}

/** English texts of all messages about files and of the API. */
function messages(): string[] {
  return [...Object.values(EN), ...Object.values(API_EN)].map((text) => (typeof text === 'string' ? text : String(text)))
}

const sources = (): string[] =>
  globSync(CODE, { exclude: (path) => path.includes('node_modules') })
    .sort()
    .map((path) => readFileSync(path, 'utf8'))

const [kind = '', count = '20', seed = '1'] = process.argv.slice(2)
const texts = TEXTS[kind as keyof typeof TEXTS]?.()
if (!texts) throw new Error(`The first argument must be one of ${Object.keys(TEXTS).join(', ')} (got '${kind}').`)
const random = randomNumbers(Number(seed))
console.log(`${texts.length} ${kind}; ${count} drawn with seed ${seed}`)
for (let drawn = 1; drawn <= Number(count); drawn++) {
  console.log(`${drawn}. ${texts.splice(Math.floor(random() * texts.length), 1)[0]}`)
}

/** `npm run look -- --accept`: stores the current measurements of the forty difficult pictures as the reference for tests. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DIFFICULT, type Figures, measureResult } from '../../test/support/difficult/cases.ts'

const ACCEPTED = join(import.meta.dirname, '../../test/conformance/core/metrics/difficult.json')
const DIGITS: Figures = { score: 1, worstTile: 1, cast: 2, steps: 3, dirt: 2, share: 4 }

/** Writes the measurements, and each result with its original to `out` for review. */
export async function accept(out: string): Promise<void> {
  mkdirSync(out, { recursive: true })
  const accepted: Record<string, Record<string, Figures>> = {}
  for (const picture of DIFFICULT) {
    const results: Record<string, Figures> = {}
    for (const result of picture.results) {
      const { figures, before, after } = await measureResult(picture, result)
      results[result] = rounded(figures)
      const file = `${picture.name} ${result}`.replaceAll(/[ .]/g, '-')
      writeFileSync(join(out, `${file}.${result.split(' ')[0]}`), after)
      writeFileSync(join(out, `${file}-original.${picture.format}`), before)
      console.log(`${picture.name}\t${result}\t${JSON.stringify(results[result])}`)
    }
    accepted[picture.name] = results
  }
  writeFileSync(ACCEPTED, `${JSON.stringify(accepted, null, 2)}\n`)
}

function rounded(figures: Figures): Figures {
  const entries = Object.entries(figures).map(([name, value]) => [name, Number(value.toFixed(DIGITS[name as keyof Figures]))])
  return Object.fromEntries(entries) as unknown as Figures
}

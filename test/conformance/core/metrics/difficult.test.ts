/**
 * Forty difficult pictures (skies, skin, red text, shadows, line art, noise, …) look as they were accepted: `difficult.json` has the
 * figures. If you change how pictures are encoded, look at the results (`npm run look -- test/fixtures/difficult`), and have what is better or
 * meant accepted by `npm run look -- --accept`.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { DIFFICULT, type Figures, measureResult } from '../../../support/difficult/cases.ts'

type Accepted = { readonly [name: string]: { readonly [result: string]: Figures } | undefined }
const ACCEPTED = JSON.parse(readFileSync(join(import.meta.dirname, 'difficult.json'), 'utf8')) as Accepted

/** How much worse a figure may be than it was accepted: machines and rounding, not eyes. */
const TOLERANCE: Figures = { score: 1, worstTile: 2, cast: 0.3, steps: 0.04, dirt: 0.3, share: 0.01 }

it.each(DIFFICULT)('$name', async (picture) => {
  for (const result of picture.results) {
    const accepted = ACCEPTED[picture.name]?.[result]
    if (!accepted) throw new Error(`${picture.name} as ${result} was never accepted`)
    const { figures } = await measureResult(picture, result)
    const said = `${result}: ${JSON.stringify(figures)}, accepted ${JSON.stringify(accepted)}`
    for (const figure of ['score', 'worstTile'] as const)
      expect(figures[figure], said).toBeGreaterThanOrEqual(accepted[figure] - TOLERANCE[figure])
    for (const figure of ['cast', 'steps', 'dirt', 'share'] as const)
      expect(figures[figure], said).toBeLessThanOrEqual(accepted[figure] + TOLERANCE[figure])
  }
})

it('no figure is kept of what is not looked at', () => {
  const known = (of: Accepted) => Object.entries(of).map(([name, results]) => [name, Object.keys(results ?? {})])
  expect(known(ACCEPTED)).toEqual(DIFFICULT.map(({ name, results }) => [name, results]))
})

it('low was nowhere accepted larger than medium', () => {
  const larger = Object.entries(ACCEPTED).flatMap(([name, results = {}]) =>
    Object.entries(results)
      .filter(([result, { share }]) => share > (results[result.replace('low', 'medium')]?.share ?? share))
      .map(() => name),
  )
  expect(larger).toEqual([])
})

/** Section of docs/contributors/measured.md on the distance of scores to their goals, and its lines on the terminal. */
import { sectionOf, table, withSection } from '../sections.ts'
import { type Distances, type Spread, WITHIN_POINTS } from './distances.ts'
import { GATES } from './gates.ts'
import { KINDS } from './kinds.ts'

const HEAD = (when: string) => `
## Scores and their goals

\`npm run bench -- scores --docs\` writes this section. ${when}.

Pictures are from packages of PyPI and npm that nobody tuned for.

- *CPU*: seconds a picture, warm for all but the first of six. *lossy*: results with a score; the others are lossless.
- *score − goal*: quartiles, then the least.
- *score decides*: results whose score is closer to its limit than all other figures: number, median distance, and how many are near
  (${WITHIN_POINTS.medium} points; \`low\` ${WITHIN_POINTS.low}).
- *decided by*: the figure closest to its limit. *lowest*: the lowest quality or smallest palette. *other*: lossless, an animation, or
  a gentler level is as small.
- *claim*: the receipt's score minus that of ssimulacra2_rs: median, most. Its float32 drifts in flat
  drawings: for the three furthest, the definition in float64 gives the receipt's score. *order*: larger than at the gentler level.

`

/** Returns `text` with the section of scores. Kinds that were not measured now keep their lines. */
export function withScores(text: string, all: readonly Distances[], when: string): string {
  const head = ['kind', 'level', 'files', 'lossy', 'bytes', 'CPU', 'score − goal', 'score decides', GATES.join(', '), 'claim', 'order']
  const before = sectionOf(text, 'scores')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.slice(2, -2).split(' | '))
  const lines = [...before.filter(([kind]) => !all.some((row) => row.kind === kind)), ...all.map(cellsOf)]
  const known = KINDS.flatMap(({ kind }) => lines.filter(([of]) => of === kind))
  return withSection(text, 'scores', HEAD(when).slice(1) + table(head, known))
}

const points = (value: number | undefined) => value?.toFixed(1).replace('-', '−') ?? '–'
const quartiles = (spread: Spread | undefined) =>
  spread ? `${[spread.lower, spread.median, spread.upper].map(points).join(' ')}, ${points(spread.least)}` : '–'

function cellsOf(row: Distances): string[] {
  const { byScore, claim } = row
  return [
    row.kind,
    row.level,
    String(row.files),
    String(row.scored),
    (row.bytesOut / row.bytesIn).toFixed(3),
    (row.cpuSeconds / row.files).toFixed(2),
    quartiles(row.distance),
    byScore ? `${byScore.files}, ${points(byScore.median)}, ${byScore.within}` : '–',
    GATES.map((gate) => row.gates[gate]).join(', '),
    claim ? `${points(claim.median)}, ${points(claim.most)}` : '–',
    String(row.disordered.length),
  ]
}

/** Line on the terminal, with the names of files that break the order of levels or became larger. */
export function lineOfDistances(row: Distances): string {
  const broken = [...row.disordered.map((path) => `out of order: ${path}`), ...row.larger.map((path) => `larger: ${path}`)]
  return ['', ...cellsOf(row)].join('  ') + broken.map((line) => `\n    ${line}`).join('')
}

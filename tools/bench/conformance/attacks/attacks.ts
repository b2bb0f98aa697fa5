/**
 * Attacks on a service of its own, on loopback only: `npm run conformance -- attacks [NAME …]`. Each attack is bounded in time, prints
 * its figures, and fails if a figure exceeds its limit. Linux only (/proc). Without a name, all run one after the other.
 */
import { type Attack, isBroken } from './attack.ts'
import { deletedDownloads } from './deleted-downloads.ts'
import { drain } from './drain.ts'
import { expensiveShapes } from './expensive-shapes.ts'
import { fullDisk } from './full-disk.ts'
import { nestedArchives } from './nested-archives.ts'
import { slowCallbacks } from './slow-callbacks.ts'
import { slowChunks } from './slow-chunks.ts'
import { slowWriters } from './slow-writers.ts'
import { slowLinks, stalledAccounts, stalledLinks, stalledReaders } from './stalled-readers.ts'
import { uncountedState } from './uncounted-state.ts'
import { unfairBatches } from './unfair-batches.ts'

const ATTACKS: readonly Attack[] = [
  ...[stalledReaders, stalledAccounts, stalledLinks, slowLinks, slowWriters, slowChunks, unfairBatches, expensiveShapes],
  ...[fullDisk, drain, slowCallbacks, deletedDownloads, nestedArchives, uncountedState],
]

const names = process.argv.slice(2)
for (const name of names)
  if (!ATTACKS.some((attack) => attack.name === name))
    throw new Error(`Unknown attack '${name}'. Available: ${ATTACKS.map((attack) => attack.name).join(', ')}.`)

let broken = 0
for (const attack of ATTACKS) {
  if (names.length > 0 && !names.includes(attack.name)) continue
  console.log(`${attack.name}: ${attack.title}`)
  for (const figure of await attack.run()) {
    const { what, value, unit, most } = figure
    if (isBroken(figure)) broken++
    const limit = most === undefined ? '' : `, at most ${most}${isBroken(figure) ? ': EXCEEDED' : ''}`
    console.log(`  ${what}: ${Math.round(value * 10) / 10} ${unit}${limit}`)
  }
}
process.exit(broken > 0 ? 1 : 0)

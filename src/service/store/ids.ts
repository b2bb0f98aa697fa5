/** Creates random ids of tasks, uploads, syncs and accounts. If the account has a region, the ids contain it. */
import { randomBase62 } from './key-format.ts'
import { REGIONS, type Region } from './regions.ts'

type Kind = 'tsk' | 'upl' | 'acc' | 'syn'
/** Length of an id after its prefix (`tsk_`, `upl_`, `acc_`, `syn_`), including the region if there is one. */
const LENGTHS: Readonly<Record<Kind, number>> = { tsk: 24, upl: 24, acc: 20, syn: 24 }

/** Returns a new id: `tsk_…` without a region, `tsk_eu_…` with one. */
export function newId(kind: Kind, region: Region | undefined): string {
  const place = region === undefined ? '' : `${region}_`
  return `${kind}_${place}${randomBase62(LENGTHS[kind] - place.length)}`
}

/** Returns the pattern of all ids of a kind (`tsk`, `upl`, `acc`, `syn`), with or without a region. */
export const idPattern = (kind: Kind) => new RegExp(`^${kind}_(?=\\w{${LENGTHS[kind]}}$)(?:(?:${REGIONS.join('|')})_)?[0-9A-Za-z]+$`)

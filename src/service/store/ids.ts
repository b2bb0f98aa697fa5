/** Ids of tasks, uploads and accounts: random, behind their region where they have one. */
import { randomBase62 } from './key-format.ts'
import { REGIONS, type Region } from './regions.ts'

type Kind = 'tsk' | 'upl' | 'acc'
/** Behind the kind; with a region as many as without. */
const LENGTHS: Readonly<Record<Kind, number>> = { tsk: 24, upl: 24, acc: 20 }

/** `tsk_…`, or `tsk_eu_…`. */
export function newId(kind: Kind, region: Region | undefined): string {
  const place = region === undefined ? '' : `${region}_`
  return `${kind}_${place}${randomBase62(LENGTHS[kind] - place.length)}`
}

/** What ids of a kind look like, whatever their region. */
export const patternOf = (kind: Kind) => new RegExp(`^${kind}_(?=\\w{${LENGTHS[kind]}}$)(?:(?:${REGIONS.join('|')})_)?[0-9A-Za-z]+$`)

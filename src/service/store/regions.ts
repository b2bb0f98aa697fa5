/**
 * Where an account's objects and files are: its region is part of its id and of those of its tasks and uploads, so that everybody
 * who has an id knows where to ask (docs/decisions/regions.md). What has no region is where Cloudflare put it.
 */

/** By law: what is there stays there. Names as Durable Objects and R2 have them. */
const JURISDICTIONS = ['eu', 'us'] as const
export type Jurisdiction = (typeof JURISDICTIONS)[number]
/** By distance: what is made there is near. Those that objects and buckets both know. */
const HINTS = ['wnam', 'enam', 'weur', 'eeur', 'apac', 'oc'] as const
export type Hint = (typeof HINTS)[number]
export type Region = Jurisdiction | Hint
export const REGIONS: readonly Region[] = [...JURISDICTIONS, ...HINTS]

export const isJurisdiction = (region: Region): region is Jurisdiction => (JURISDICTIONS as readonly Region[]).includes(region)

const CODE = REGIONS.join('|')

const regionIn = (pattern: RegExp) => (text: string) => {
  const [, first, second] = pattern.exec(text) ?? []
  return (first ?? second) as Region | undefined
}

/** Of an id, or of an object that is named by one (`console/acc_eu_…`), or of a key's gate. */
export const regionOf = regionIn(new RegExp(`(?:^|/)(?:tsk|upl|acc)_(${CODE})_[0-9A-Za-z]+$|^(${CODE})/[0-9a-f]{64}$`))

/** Of a blob's key, or of the beginning of one. Dead letters and what the service notes for itself have none. */
export const regionOfBlob = regionIn(
  new RegExp(`^(?:(?:uploads|results)(?:-\\d+d)?|parts|incoming|accounts|exports/[0-9-]+)/(?:tsk|upl|acc)_(${CODE})_`),
)

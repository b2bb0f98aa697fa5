/**
 * Regions of accounts. The region is part of the ids of an account, its tasks and its uploads, so every id says where its data is.
 * See docs/decisions/regions.md. Cloudflare places objects without a region.
 */

/** Jurisdictions, named as in Durable Objects and R2. Data never leaves its jurisdiction. */
const JURISDICTIONS = ['eu', 'us'] as const
export type Jurisdiction = (typeof JURISDICTIONS)[number]
/** Location hints that Durable Objects and R2 both support. Data is stored near the location. */
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

/** Region in an id, in an object name with an id (`console/acc_eu_…`), or in the name of a KeyGate object. `undefined`: none. */
export const regionOf = regionIn(new RegExp(`(?:^|/)(?:tsk|upl|acc)_(${CODE})_[0-9A-Za-z]+$|^(${CODE})/[0-9a-f]{64}$`))

/** Region in a blob key or key prefix. `undefined`: none, as for dead letters and internal data. */
export const regionOfBlob = regionIn(
  new RegExp(
    `^(?:(?:uploads|results)(?:-\\d+d)?|parts|incoming|accounts|pictures|picture-sources|exports/[0-9-]+)/(?:tsk|upl|acc)_(${CODE})_`,
  ),
)

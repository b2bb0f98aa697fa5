/** Buckets of a deployment: the default one, and one for each region (docs/decisions/regions.md). All Workers bind all of them. */
import { isJurisdiction, type Region } from '../../src/service/store/regions.ts'
import { withVariable } from './configuration.ts'

export interface Bucket {
  readonly name: string
  readonly region?: Region
}

/** Name of a region's bucket. It cannot collide with another environment's, because the environment is the last word of a name. */
const bucketOf = (region: Region, suffix: string) => `whittle-${region}-blobs${suffix}`

export function bucketsIn(regions: readonly Region[], suffix: string): Bucket[] {
  return [{ name: `whittle-blobs${suffix}` }, ...regions.map((region) => ({ name: bucketOf(region, suffix), region }))]
}

/** Arguments of wrangler for the location of a new bucket. */
export function placeOf({ region }: Bucket): string[] {
  if (region === undefined) return []
  return isJurisdiction(region) ? ['--jurisdiction', region] : ['--location', region]
}

/** Arguments of wrangler for the jurisdiction, without which a bucket in one is not found. */
export const jurisdictionOf = ({ region }: Bucket): string[] =>
  region !== undefined && isJurisdiction(region) ? ['--jurisdiction', region] : []

/** Configuration that binds the buckets of all regions. */
export function withRegions(configuration: string, regions: readonly Region[], suffix: string): string {
  const tables = regions.map((region) => {
    const jurisdiction = isJurisdiction(region) ? `jurisdiction = "${region}"\n` : ''
    const binding = `BLOBS_${region.toUpperCase()}`
    return `[[r2_buckets]]\nbinding = "${binding}"\nbucket_name = "${bucketOf(region, suffix)}"\n${jurisdiction}`
  })
  return [configuration, ...tables].join('\n')
}

/** Edge with the default region of new accounts. */
export function withRegion(edge: string, region: Region | undefined): string {
  return region === undefined ? edge : withVariable(edge, 'REGION', region)
}

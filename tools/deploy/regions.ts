/** Buckets of a deployment: one, and one for each of its regions (docs/decisions/regions.md), which all Workers bind. */
import { isJurisdiction, type Region } from '../../src/service/store/regions.ts'
import { withVariable } from './configuration.ts'

export interface Bucket {
  readonly name: string
  readonly region?: Region
}

/** No environment has the name of a region's bucket: theirs is the last word. */
const bucketOf = (region: Region, suffix: string) => `whittle-${region}-blobs${suffix}`

export function bucketsIn(regions: readonly Region[], suffix: string): Bucket[] {
  return [{ name: `whittle-blobs${suffix}` }, ...regions.map((region) => ({ name: bucketOf(region, suffix), region }))]
}

/** What wrangler is told of where a bucket is to be made. */
export function placeOf({ region }: Bucket): string[] {
  if (region === undefined) return []
  return isJurisdiction(region) ? ['--jurisdiction', region] : ['--location', region]
}

/** A bucket in a jurisdiction is only found with it. */
export const jurisdictionOf = ({ region }: Bucket): string[] =>
  region !== undefined && isJurisdiction(region) ? ['--jurisdiction', region] : []

/** A Worker with the buckets of all regions. */
export function withRegions(configuration: string, regions: readonly Region[], suffix: string): string {
  const tables = regions.map((region) => {
    const jurisdiction = isJurisdiction(region) ? `jurisdiction = "${region}"\n` : ''
    const binding = `BLOBS_${region.toUpperCase()}`
    return `[[r2_buckets]]\nbinding = "${binding}"\nbucket_name = "${bucketOf(region, suffix)}"\n${jurisdiction}`
  })
  return [configuration, ...tables].join('\n')
}

/** The edge with the region of new accounts. */
export function withRegion(edge: string, region: Region | undefined): string {
  return region === undefined ? edge : withVariable(edge, 'REGION', region)
}

/** Bindings that find the region of what they are asked for by its name: `src/service/store/regions.ts`. */
import type { Namespace } from './namespace.ts'
import { isJurisdiction, REGIONS, type Region, regionOf, regionOfBlob } from './regions.ts'

interface Bindings {
  /** What has no region, and the service's own notes. A region has `BLOBS_EU`. */
  readonly BLOBS: R2Bucket
  readonly KEY_GATES?: Namespace<object>
  readonly TASKS?: Namespace<object>
  readonly ACCOUNTS?: Namespace<object>
  readonly UPLOADS?: Namespace<object>
}

const NAMESPACES = ['KEY_GATES', 'TASKS', 'ACCOUNTS', 'UPLOADS'] as const

type Buckets = ReadonlyMap<Region, R2Bucket>

function regionalBuckets(env: object): Buckets {
  const found = REGIONS.map((region) => [region, Reflect.get(env, `BLOBS_${region.toUpperCase()}`) as R2Bucket | undefined] as const)
  return new Map(found.flatMap(([region, bucket]) => (bucket ? [[region, bucket]] : [])))
}

/** The regions of this deployment: those that it has a bucket in. */
export const regionsOf = (env: object): Region[] => [...regionalBuckets(env).keys()]

/** All buckets, the one without a region first. */
export const bucketsOf = (env: Pick<Bindings, 'BLOBS'>): R2Bucket[] => [env.BLOBS, ...regionalBuckets(env).values()]

/** The same bindings, each of which goes to the region that a name says. Names of regions that are not here are like names without. */
export function placed<E extends Bindings>(env: E): E {
  const buckets = regionalBuckets(env)
  if (buckets.size === 0) return env
  const spaces = NAMESPACES.flatMap((name) => {
    const namespace = env[name]
    return namespace ? [[name, placedNamespace(namespace, buckets)]] : []
  })
  return { ...env, ...Object.fromEntries(spaces), BLOBS: placedBucket(env.BLOBS, buckets) }
}

function placedNamespace<Face>(namespace: Namespace<Face>, buckets: Buckets): Namespace<Face> {
  return {
    getByName(name) {
      const region = regionOf(name)
      if (region === undefined || !buckets.has(region)) return namespace.getByName(name)
      if (!isJurisdiction(region)) return namespace.getByName(name, { locationHint: region })
      if (!namespace.jurisdiction) throw new Error(`these objects cannot be kept in the jurisdiction ${region}`)
      return namespace.jurisdiction(region).getByName(name)
    },
  }
}

/** What is listed without a region is what has none. */
function placedBucket(home: R2Bucket, buckets: Buckets): R2Bucket {
  const bucketOf = (key: string) => buckets.get(regionOfBlob(key) as Region) ?? home
  const remove = async (keys: string | string[]) => {
    const byBucket = Map.groupBy([keys].flat(), bucketOf)
    await Promise.all([...byBucket].map(([bucket, own]) => bucket.delete(own)))
  }
  return new Proxy(home, {
    get(_, method) {
      if (method === 'delete') return remove
      return (first: string | R2ListOptions | undefined, ...rest: unknown[]) => {
        const bucket = bucketOf(typeof first === 'string' ? first : (first?.prefix ?? ''))
        return Reflect.apply(Reflect.get(bucket, method) as (...values: unknown[]) => unknown, bucket, [first, ...rest])
      }
    },
  })
}

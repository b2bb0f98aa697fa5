/** Bindings that choose the region from the name of the object or blob: see `src/service/store/regions.ts`. */
import type { Namespace } from './namespace.ts'
import { isJurisdiction, REGIONS, type Region, regionOf, regionOfBlob } from './regions.ts'

interface Bindings {
  /** Bucket for objects without a region and for internal data. Each region has its own bucket, such as `BLOBS_EU`. */
  readonly BLOBS: R2Bucket
  readonly KEY_GATES?: Namespace<object>
  readonly TASKS?: Namespace<object>
  readonly ACCOUNTS?: Namespace<object>
  readonly UPLOADS?: Namespace<object>
  readonly SYNCS?: Namespace<object>
}

const NAMESPACES = ['KEY_GATES', 'TASKS', 'ACCOUNTS', 'UPLOADS', 'SYNCS'] as const

type Buckets = ReadonlyMap<Region, R2Bucket>

function regionalBuckets(env: object): Buckets {
  const found = REGIONS.map((region) => [region, Reflect.get(env, `BLOBS_${region.toUpperCase()}`) as R2Bucket | undefined] as const)
  return new Map(found.flatMap(([region, bucket]) => (bucket ? [[region, bucket]] : [])))
}

/** Regions of this deployment: those with a bucket. */
export const regionsOf = (env: object): Region[] => [...regionalBuckets(env).keys()]

/** All buckets of the deployment. The bucket without a region comes first. */
export const bucketsOf = (env: Pick<Bindings, 'BLOBS'>): R2Bucket[] => [env.BLOBS, ...regionalBuckets(env).values()]

/**
 * Wraps bindings so that each call goes to the region in the name. Names with a region that this deployment lacks are treated as names
 * without one.
 */
export function withRegionBindings<E extends Bindings>(env: E): E {
  const buckets = regionalBuckets(env)
  if (buckets.size === 0) return env
  const namespaces = NAMESPACES.flatMap((name) => {
    const namespace = env[name]
    return namespace ? [[name, regionalNamespace(namespace, buckets)]] : []
  })
  return { ...env, ...Object.fromEntries(namespaces), BLOBS: regionalBucket(env.BLOBS, buckets) }
}

function regionalNamespace<Api>(namespace: Namespace<Api>, buckets: Buckets): Namespace<Api> {
  return {
    getByName(name) {
      const region = regionOf(name)
      if (region === undefined || !buckets.has(region)) return namespace.getByName(name)
      if (!isJurisdiction(region)) return namespace.getByName(name, { locationHint: region })
      if (!namespace.jurisdiction)
        throw new Error(`The jurisdiction ${region} is not supported by this runtime; only Cloudflare has jurisdictions.`)
      return namespace.jurisdiction(region).getByName(name)
    },
  }
}

/** Wraps all buckets as one. A `list` call whose prefix has no region lists only the bucket without a region. */
function regionalBucket(defaultBucket: R2Bucket, buckets: Buckets): R2Bucket {
  const bucketOf = (key: string) => buckets.get(regionOfBlob(key) as Region) ?? defaultBucket
  const remove = async (keys: string | string[]) => {
    const byBucket = Map.groupBy([keys].flat(), bucketOf)
    await Promise.all([...byBucket].map(([bucket, bucketKeys]) => bucket.delete(bucketKeys)))
  }
  return new Proxy(defaultBucket, {
    get(_, method) {
      if (method === 'delete') return remove
      return (first: string | R2ListOptions | undefined, ...rest: unknown[]) => {
        const bucket = bucketOf(typeof first === 'string' ? first : (first?.prefix ?? ''))
        return Reflect.apply(Reflect.get(bucket, method) as (...values: unknown[]) => unknown, bucket, [first, ...rest])
      }
    },
  })
}

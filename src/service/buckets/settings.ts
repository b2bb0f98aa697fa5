/** Where a bucket is and how to sign in. Credentials are stored encrypted only: see `src/service/store/password-encryption.ts`. */

/** Bucket of a service with the API of Amazon S3: AWS, Cloudflare R2, Google Cloud Storage, Backblaze B2, MinIO and others. */
export interface S3Settings {
  readonly type: 's3'
  /** Address of the service, such as `https://s3.eu-central-1.amazonaws.com`. */
  readonly endpoint: string
  /** Region for signatures, such as `eu-central-1` or `auto`. */
  readonly region: string
  readonly bucket: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** True: the bucket is the first segment of the path. False: it is the first label of the host name. */
  readonly pathStyle: boolean
}

/** Container of Azure Blob Storage. */
export interface AzureSettings {
  readonly type: 'azure'
  /** Address of the account's blob service, such as `https://ACCOUNT.blob.core.windows.net`. */
  readonly endpoint: string
  readonly container: string
  readonly accountName: string
  /** Key of the account in base64, or a shared access signature: a query such as `sv=…&sig=…`. */
  readonly credential: { readonly accountKey: string } | { readonly sasToken: string }
}

export type BucketSettings = S3Settings | AzureSettings

const endpointOf = ({ endpoint }: BucketSettings) => endpoint.replace(/\/+$/, '')

/** Address of a bucket, without a slash at its end. The guard of outgoing addresses checks it before each use. */
export function bucketAddress(settings: BucketSettings): string {
  if (settings.type === 'azure') return `${endpointOf(settings)}/${encodeURIComponent(settings.container)}`
  if (settings.pathStyle) return `${endpointOf(settings)}/${encodeURIComponent(settings.bucket)}`
  return endpointOf(settings).replace(/^https?:\/\//i, (scheme) => `${scheme}${settings.bucket}.`)
}

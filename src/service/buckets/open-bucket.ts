import { AzureProtocol } from './azure.ts'
import type { BucketAccess } from './client.ts'
import { HttpStore } from './http-store.ts'
import type { ObjectStore } from './object-store.ts'
import { S3Protocol } from './s3.ts'
import type { BucketSettings } from './settings.ts'

/** Returns the store of a bucket. Nothing is sent yet. The caller has checked `bucketAddress(settings)`. */
export const openBucket = (settings: BucketSettings, access: BucketAccess): ObjectStore =>
  new HttpStore(settings.type === 's3' ? new S3Protocol(settings) : new AzureProtocol(settings), access)

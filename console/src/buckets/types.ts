/** Connections, syncs and origins of pictures, as the API shows them. */

export type Connection =
  | {
      name: string
      type: 's3'
      endpoint: string
      region: string
      bucket: string
      access_key_id: string
      path_style: boolean
      saved_at: string
    }
  | { name: string; type: 'azure'; endpoint: string; container: string; account_name: string; saved_at: string }

export interface Place {
  connection: string
  prefix: string
}

export interface Estimate {
  format: string
  objects: number
  original_size: number
  estimated_size: number
  estimated_cpu_seconds: number
}

export interface Sync {
  sync_id: string
  status: 'estimating' | 'running' | 'paused' | 'completed' | 'failed' | 'cancelled'
  source: Place
  destination: Place
  /** True: it only lists and estimates. */
  dry_run: boolean
  found: number
  skipped: number
  compressed: number
  unchanged: number
  failed: number
  original_size: number
  compressed_size: number
  estimated_cpu_seconds: number
  estimated_size: number
  estimates: Estimate[]
  started_at: string
  next_try_at?: string
  reason?: { type: string; message: string }
  errors: { key: string; error: string; type: string }[]
}

/** Place of pictures on the fly: an address, or a bucket. */
export interface ImageOrigin {
  name: string
  origin?: string
  bucket?: Place
  image_key: string
}

export const isOpen = ({ status }: Sync) => status === 'estimating' || status === 'running' || status === 'paused'

/** Objects that have ended. */
export const doneObjects = ({ skipped, compressed, unchanged, failed }: Sync) => skipped + compressed + unchanged + failed

/** A connection and the beginning of the keys. */
export const placeText = ({ connection, prefix }: Place) => (prefix === '' ? connection : `${connection}: ${prefix}`)

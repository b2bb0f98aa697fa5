/**
 * Examples of the properties in `/openapi.json`, by name, or by schema and name where one name has several meanings. A test checks each
 * against the schema of its property. Forms send numbers and objects as text.
 */
import {
  COMPLETED,
  CREATED,
  EXPIRES,
  IMAGE_KEY,
  IMAGE_SECRET,
  ORIGINAL_SHA256,
  receipt,
  SHA256,
  SYNC_ID,
  TASK_ID,
  UPLOAD_ID,
} from './values.ts'

const DOCS = 'https://whittle.example.com/docs'
const TASK_URL = `https://whittle.example.com/v1/tasks/${TASK_ID}`
const PICTURES = 'https://static.example.com/pictures/'
const DESTINATION = 'https://bucket.example.com/photo.jpg'
const ERROR = { code: 404, message: 'There is no task with this id.', request_id: 'req_5s1k9d0c7f2b4a6e8g3h' }
const ERROR_DETAIL = { type: 'unknown_task', doc_url: `${DOCS}#unknown_task` }
const USED = { tasks: 10, original_size: 2_408_830, compressed_size: 842_900 }
const DELIVERY = { status: 'delivered', attempts: 1, last_status: 200 }
const TASK = {
  ...{ task_id: TASK_ID, original_size: 240_883, created_at: CREATED, file_name: 'photo.jpg', format: 'jpg', quality: 'medium' },
  ...{ status: 'completed', download_url: `${TASK_URL}/download`, compressed_size: 84_290, compression_ratio: '65.0%' },
  ...{ completed_at: COMPLETED, output_format: 'jpg', output_name: 'photo.jpg', expires_at: EXPIRES, result: receipt },
}

/** Every property of these objects is an example of its own. */
const of = (schema: string, values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`${schema}.${name}`, value]))

const BUCKET_SOURCE = { connection: 'shop', key: 'photos/photo.jpg' } as const
const BUCKET_DESTINATION = { connection: 'shop', prefix: 'small/' } as const
const BUCKET_FOLDER = { connection: 'shop', prefix: 'photos/' } as const

const OPTIONS = {
  quality: 'medium',
  format: 'webp',
  password: 'correct horse battery staple',
  callback_url: 'https://example.com/hook',
  target_size: 200_000,
  target_score: 75,
  max_width: 1600,
  max_height: 1200,
  dpi: 150,
  effort: 'fast',
  metadata: 'safe',
  usage_rights: 'keep',
  response: 'file',
  retention: 3600,
  preset: 'web',
  destination_url: `${DESTINATION}?signature=abc`,
  destination_headers: { 'x-ms-blob-type': 'BlockBlob' },
  ...of('compress', { source: BUCKET_SOURCE, destination: BUCKET_DESTINATION }),
  ...of('CompressUpload', { source: BUCKET_SOURCE, destination: BUCKET_DESTINATION }),
  ...of('batchCompress', { destination: BUCKET_DESTINATION, 'sources[]': [JSON.stringify(BUCKET_SOURCE)] }),
  ...of('BatchOfUploads', { destination: BUCKET_DESTINATION, 'sources[]': [BUCKET_SOURCE] }),
  ...of('createDelivery', { destination: BUCKET_DESTINATION }),
  ...of('BucketSource', BUCKET_SOURCE),
  ...of('BucketDestination', { ...BUCKET_DESTINATION, key: 'small/photo.jpg' }),
  upload: UPLOAD_ID,
  url: 'https://files.example.com/photo.jpg',
  file: 'photo.jpg',
  'files[]': ['photo.jpg', 'report.pdf'],
  'uploads[]': [UPLOAD_ID],
  'urls[]': ['https://files.example.com/photo.jpg'],
  expires_in: 3600,
  max_downloads: 5,
  origin: 'https://app.example.com',
  'ImageOrigin.name': 'photos',
  'ImageOrigin.origin': PICTURES,
  'ImageOrigin.bucket': BUCKET_FOLDER,
  'StoredImageOrigin.bucket': BUCKET_FOLDER,
  'putImageOrigin.bucket': BUCKET_FOLDER,
  ...of('ImageBucket', BUCKET_FOLDER),
  image_origins: [{ name: 'photos', origin: PICTURES, image_key: IMAGE_KEY }],
  'StoredImageOrigin.name': 'photos',
  'StoredImageOrigin.origin': PICTURES,
  'putImageOrigin.origin': PICTURES,
  new_secret: true,
  image_key: IMAGE_KEY,
  image_secret: IMAGE_SECRET,
  purged: 12,
  'createUploadToken.expires_in': 300,
  max_files: 1,
  max_bytes: 10_000_000,
  formats: ['jpg', 'png'],
  'UploadToken.token': `wut_${'A'.repeat(43)}.3xK8sQ1bV0nT7mZ5cJ2hR9wYpLdFgA`,
} as const

const TASKS = {
  task_id: TASK_ID,
  batch_id: 'bat_vZlKnlY1GFU0cnEaLZUrMnbi',
  original_size: 240_883,
  compressed_size: 84_290,
  compression_ratio: '65.0%',
  created_at: CREATED,
  completed_at: COMPLETED,
  expires_at: EXPIRES,
  file_name: 'photo.jpg',
  output_format: 'jpg',
  output_name: 'photo.jpg',
  download_url: `${TASK_URL}/download`,
  status: 'completed',
  'TaskPending.status': 'processing',
  'TaskFailed.status': 'failed',
  progress: 0.42,
  eta_seconds: 12,
  queue_position: 3,
  source: { url: 'https://files.example.com/photo.jpg' },
  destination: { url: DESTINATION },
  ...of('TaskSource', BUCKET_SOURCE),
  ...of('TaskDestination', { ...BUCKET_DESTINATION, key: 'small/photo.jpg' }),
  'TaskSource.url': 'https://files.example.com/photo.jpg',
  'TaskDestination.url': DESTINATION,
  delivery: DELIVERY,
  'TaskDelivery.status': DELIVERY.status,
  attempts: DELIVERY.attempts,
  last_status: DELIVERY.last_status,
  test: true,
  result: receipt,
  error: ERROR,
  error_detail: ERROR_DETAIL,
  code: ERROR.code,
  message: ERROR.message,
  request_id: ERROR.request_id,
  'ErrorDetail.type': ERROR_DETAIL.type,
  doc_url: ERROR_DETAIL.doc_url,
  tasks: [TASK],
  next_cursor: 'MTc2NDE0OTQwMDAwMA',
  deleted: true,
  freed_bytes: 84_290,
  upload_id: UPLOAD_ID,
  size: 734_003_200,
  offset: 33_554_432,
  'Link.url': 'https://whittle.example.com/d/dGhlLXRva2VuLW9mLWEtbGluaw',
  data: TASK,
  'TaskCompletedEvent.type': 'task.completed',
  'TaskFailedEvent.type': 'task.failed',
  'TaskFailedEvent.data': {
    ...{ task_id: TASK_ID, original_size: 240_883, created_at: CREATED, file_name: 'photo.jpg', format: 'jpg', quality: 'medium' },
    ...{ status: 'failed', completed_at: COMPLETED, error: ERROR, error_detail: ERROR_DETAIL },
  },
  timestamp: COMPLETED,
} as const

const REMOVED = { what: 'hidden parts', count: 2, why: 'no page or drawing shows it' } as const

const RECEIPTS = {
  outcome: 'compressed',
  'ReceiptUnchanged.outcome': 'unchanged',
  fidelity: 'perceptual',
  'ReceiptUnchanged.fidelity': 'lossless',
  verified: true,
  verified_share: 1,
  sha256: SHA256,
  original_sha256: ORIGINAL_SHA256,
  ssim: receipt.ssim,
  psnr_db: receipt.psnr_db,
  measured_at: receipt.measured_at,
  mean_ssim: 0.9812,
  mean_psnr_db: 38.4,
  ssimulacra2: receipt.ssimulacra2,
  snr_db: 31.2,
  verified_by: ['pictures 1.0.0'],
  inventory: receipt.inventory,
  'ReceiptCompressed.metadata': 'safe',
  removed: [REMOVED],
  ...REMOVED,
  steps: receipt.steps,
  reason: 'no_gain',
  detail: 'The smallest result that meets the minimum quality is larger than the upload.',
  suggestion: { format: 'avif', estimated_size: 61_000 },
  'Suggestion.format': 'avif',
  estimated_size: 61_000,
  iss: 'https://whittle.example.com',
  encrypted: true,
  engines: [{ name: 'whittle', version: '1.4.0' }],
  'Engine.name': 'whittle',
  version: '1.4.0',
  wasm_sha256: ORIGINAL_SHA256,
  sources: ['mozjpeg 4.1.5'],
  keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'DPyV0cFVkGNZf-sg2Bgp9viFr0zUF-g1yR7JiKH9HlI', kid: '2026-11', use: 'sig', alg: 'EdDSA' }],
  kty: 'OKP',
  crv: 'Ed25519',
  x: 'DPyV0cFVkGNZf-sg2Bgp9viFr0zUF-g1yR7JiKH9HlI',
  kid: '2026-11',
  use: 'sig',
  alg: 'EdDSA',
} as const

const LIMITS = {
  ...{ plan: 'free', max_file_bytes: 20_000_000, max_batch_files: 5, retention_seconds: 86_400, requests_per_minute: 10 },
  callbacks: false,
} as const
const HOLDS = { alpha: true, bits: 8, frames: true, metadata: ['exif', 'icc', 'xmp'] } as const
const OUTPUT = { id: 'webp', title: 'WebP', extension: 'webp', media_type: 'image/webp', wraps: false } as const
const FORMAT = {
  ...{ id: 'jpg', title: 'JPEG', family: 'image', extensions: ['jpg', 'jpeg'], mime_types: ['image/jpeg'], available: true },
  ...{ outputs: ['jpg', 'webp', 'avif'], qualities: ['low', 'medium', 'high'], fidelity: 'perceptual' },
  ...{ inventory: ['icc_profile', 'exif_tag'], metadata: ['keep', 'safe', 'strip'] },
  ...{ options: ['target_score', 'max_width', 'max_height'], password: 'zip', quick_up_to: 8_000_000 },
} as const
const COST = { cpu_seconds_per_mb: 1.2, measured_tasks: 0 } as const
const EFFORTS = {
  fast: { cpu_seconds_per_mb: 0.52, measured_tasks: 40 },
  balanced: COST,
  best: { ...COST, cpu_seconds_per_mb: 2.4 },
} as const
const STATUS_PART = { looks: 144, failures: 0, mean_ms: 11, max_ms: 95 } as const
const STATUS_DAY = { day: '2026-11-26', parts: { service: STATUS_PART } } as const

const ALERT = { plan: 'free', month: '2026-11', percent: 80, storage_used: 80_000_000, storage_quota: 100_000_000 } as const

const SERVICE = {
  ...LIMITS,
  ...of('Holds', HOLDS),
  ...of('Output', { ...OUTPUT, holds: HOLDS }),
  ...of('Format', { ...FORMAT, levels: { low: 'Visible losses at 100 %', medium: 'Faint losses', high: 'No visible losses' } }),
  ...of('EffortCost', COST),
  efforts: EFFORTS,
  'Formats.formats': [FORMAT],
  output_formats: [OUTPUT],
  limits: LIMITS,
  max_pixels: 268_435_456,
  job_memory_bytes: 96_000_000,
  max_body_bytes: 100_000_000,
  month: '2026-11',
  api_calls: 12,
  ...of('Usage', USED),
  ...of('UsageOfFormat', USED),
  ...of('UsageOfDay', USED),
  storage_used: 842_900,
  storage_quota: 100_000_000,
  percent: 80,
  cpu_seconds: 9.4,
  cpu_seconds_estimated: 0,
  cpu_seconds_quota: 3600,
  tasks_completed: 10,
  tasks_failed: 0,
  by_format: { jpg: USED },
  day: '2026-11-26',
  by_day: [{ day: '2026-11-26', api_calls: 12, ...USED }],
  'StorageNearlyFull.type': 'storage.nearly_full',
  'StorageNearlyFull.data': ALERT,
  'StorageFull.type': 'storage.full',
  'StorageFull.data': { ...ALERT, percent: 100, storage_used: ALERT.storage_quota },
  checks: { storage: { ok: true, ms: 4 } },
  ok: true,
  ms: 4,
  'Health.status': 'ok',
  'Status.status': 'ok',
  looked_at: CREATED,
  days: [STATUS_DAY],
  parts: STATUS_DAY.parts,
  ...STATUS_PART,
} as const

const ENDPOINTS = { s3: 'https://s3.eu-central-1.amazonaws.com', azure: 'https://shop.blob.core.windows.net' } as const
const BUCKET = { region: 'eu-central-1', bucket: 'shop-photos', path_style: true } as const
const CONNECTION = {
  ...{ name: 'shop', type: 's3', endpoint: ENDPOINTS.s3, ...BUCKET, access_key_id: 'AKIA…MPLE', saved_at: CREATED },
} as const

const CONNECTIONS = {
  ...BUCKET,
  ...of('ConnectionFields', { type: 's3' }),
  ...of('Connection', { type: 's3' }),
  ...of('S3ConnectionFields', { type: 's3', endpoint: ENDPOINTS.s3, access_key_id: 'AKIAIOSFODNN7EXAMPLE' }),
  ...of('S3Connection', CONNECTION),
  ...of('AzureConnectionFields', { type: 'azure', endpoint: ENDPOINTS.azure }),
  ...of('AzureConnection', { type: 'azure', endpoint: ENDPOINTS.azure, name: 'archive', saved_at: CREATED }),
  secret_access_key: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  container: 'photos',
  account_name: 'shop',
  account_key: 'dGhlIGtleSBvZiB0aGUgYWNjb3VudA==',
  sas_token: 'sv=2021-12-02&sr=c&sp=rwdl&sig=abc%2Bdef%3D',
  connections: [CONNECTION],
} as const

const SYNC = {
  ...{ sync_id: SYNC_ID, status: 'running', dry_run: false, found: 1200, skipped: 800, compressed: 150, unchanged: 9, failed: 1 },
  ...{ original_size: 36_132_450, compressed_size: 12_643_500, estimated_cpu_seconds: 96.4, estimated_size: 57_600_000 },
} as const
const SYNC_DESTINATION = { connection: 'archive', prefix: 'small/' } as const
const SYNC_ESTIMATE = {
  ...{ format: 'jpg', objects: 400, original_size: 96_000_000, estimated_size: 57_600_000, estimated_cpu_seconds: 96.4 },
  basis: 'account',
} as const
const SYNC_REASON = { type: 'busy', message: "The bucket of the connection 'shop' cannot be used: its server is overloaded." } as const
const SYNC_ERROR = {
  ...{ key: 'photos/scan.tif', type: 'file_too_large' },
  error: 'The file is too large: your plan allows up to 20 MB (20000000 bytes) per file.',
} as const
const SYNC_PARTS = { source: BUCKET_FOLDER, destination: SYNC_DESTINATION, estimates: [SYNC_ESTIMATE], errors: [SYNC_ERROR] } as const

const SYNCS = {
  ...BUCKET_FOLDER,
  ...of('SyncEstimate', SYNC_ESTIMATE),
  ...of('SyncReason', SYNC_REASON),
  ...of('SyncError', SYNC_ERROR),
  ...of('SyncRequest', { source: BUCKET_FOLDER, destination: SYNC_DESTINATION, dry_run: false }),
  ...of('Sync', { ...SYNC, ...SYNC_PARTS, started_at: CREATED, next_try_at: COMPLETED, reason: SYNC_REASON }),
  syncs: [{ ...SYNC, ...SYNC_PARTS, started_at: CREATED }],
} as const

export const PROPERTY_EXAMPLES: Readonly<Record<string, unknown>> = {
  ...OPTIONS,
  ...TASKS,
  ...RECEIPTS,
  ...SERVICE,
  ...CONNECTIONS,
  ...SYNCS,
}

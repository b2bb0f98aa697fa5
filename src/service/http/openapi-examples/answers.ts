/** Examples of requests and answers for `/openapi.json`, by operation. A test checks them against the schemas. */
import {
  BATCH_ID,
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

const common = { task_id: TASK_ID, original_size: 240_883, created_at: CREATED, file_name: 'photo.jpg', format: 'jpg', quality: 'medium' }

const completed = (baseUrl: string) => ({
  ...common,
  status: 'completed',
  download_url: `${baseUrl}/v1/tasks/${TASK_ID}/download`,
  compressed_size: 84_290,
  compression_ratio: '65.0%',
  completed_at: COMPLETED,
  output_format: 'jpg',
  output_name: 'photo.jpg',
  expires_at: EXPIRES,
  result: receipt,
})

const pending = { ...common, status: 'processing', progress: 0.4, eta_seconds: 12, queue_position: 0 }

const unchanged = (baseUrl: string) => ({
  ...completed(baseUrl),
  file_name: 'contract.pdf',
  format: 'pdf',
  compressed_size: 240_883,
  compression_ratio: '0.0%',
  output_format: 'pdf',
  output_name: 'contract.pdf',
  result: {
    ...{ outcome: 'unchanged', reason: 'signed', fidelity: 'lossless', verified: true, verified_share: 1 },
    ...{ sha256: ORIGINAL_SHA256, original_sha256: ORIGINAL_SHA256 },
  },
})

const failed = (baseUrl: string) => ({
  ...common,
  status: 'failed',
  completed_at: COMPLETED,
  error: {
    code: 400,
    message: 'No result of at most 20000 bytes meets the minimum quality. The smallest result that does has 31744 bytes.',
    request_id: 'req_5s1k9d0c7f2b4a6e8g3h',
  },
  error_detail: { type: 'target_unreachable', target_size: 20_000, best_size: 31_744, doc_url: `${baseUrl}/docs#target_unreachable` },
})

const signedReceipt = (baseUrl: string) => ({
  ...{ iss: baseUrl, task_id: TASK_ID, file_name: 'photo.jpg', format: 'jpg', output_format: 'jpg', quality: 'medium' },
  ...{ original_size: 240_883, compressed_size: 84_290, result: receipt, completed_at: COMPLETED },
  engines: [{ name: 'whittle', version: '1.4.0' }],
})

const SYNC_ORDER = {
  source: { connection: 'shop', prefix: 'photos/' },
  destination: { connection: 'archive', prefix: 'small/' },
}
const sync = (status: string) => ({
  ...{ sync_id: SYNC_ID, status, ...SYNC_ORDER, dry_run: false, found: 1200, skipped: 800, compressed: 390, unchanged: 9, failed: 1 },
  ...{ original_size: 93_944_370, compressed_size: 32_873_100, estimated_cpu_seconds: 96.4, estimated_size: 57_600_000 },
  estimates: [
    {
      ...{ format: 'jpg', objects: 400, original_size: 96_000_000, estimated_size: 57_600_000, estimated_cpu_seconds: 96.4 },
      basis: 'account',
    },
  ],
  started_at: CREATED,
  errors: [
    {
      key: 'photos/scan.tif',
      error: 'The file is too large: your plan allows up to 20 MB (20000000 bytes) per file.',
      type: 'file_too_large',
    },
  ],
})
const begunSync = {
  ...sync('estimating'),
  ...{ found: 0, skipped: 0, compressed: 0, unchanged: 0, failed: 0, original_size: 0, compressed_size: 0 },
  ...{ estimated_cpu_seconds: 0, estimated_size: 0, estimates: [], errors: [] },
}
const completedSync = { ...sync('completed'), completed_at: COMPLETED }
const stoppedSync = {
  ...sync('failed'),
  completed_at: COMPLETED,
  reason: {
    type: 'unauthorised',
    message: "The bucket of the connection 'archive' cannot be used: its server refused the credentials (403 AccessDenied).",
  },
}

const usage = {
  ...{ month: '2026-11', plan: 'free', api_calls: 12, original_size: 2_408_830, compressed_size: 842_900 },
  ...{ storage_used: 842_900, storage_quota: 1_000_000_000, cpu_seconds: 9.4, cpu_seconds_estimated: 0, cpu_seconds_quota: 3600 },
  ...{ tasks_completed: 10, tasks_failed: 0, by_format: { jpg: { tasks: 10, original_size: 2_408_830, compressed_size: 842_900 } } },
  by_day: [{ day: '2026-11-26', api_calls: 12, tasks: 10, original_size: 2_408_830, compressed_size: 842_900 }],
}

const formats = {
  formats: [
    {
      ...{ id: 'jpg', title: 'JPEG', family: 'image', extensions: ['jpg', 'jpeg'], mime_types: ['image/jpeg'], available: true },
      ...{ outputs: ['jpg', 'webp', 'avif'], qualities: ['low', 'medium', 'high'], fidelity: 'perceptual' },
      ...{ inventory: ['icc_profile', 'exif_tag'], metadata: ['keep', 'safe', 'strip'] },
      ...{ options: ['target_score', 'max_width', 'max_height'], password: 'zip', quick_up_to: 8_000_000 },
    },
  ],
  output_formats: [{ id: 'webp', title: 'WebP', extension: 'webp', media_type: 'image/webp', wraps: false }],
  limits: {
    ...{ plan: 'free', max_file_bytes: 20_000_000, max_batch_files: 10, retention_seconds: 86_400 },
    ...{ requests_per_minute: 10, callbacks: false },
  },
  job_memory_bytes: 96_000_000,
  max_body_bytes: 100_000_000,
}

const checks = { storage: { ok: true, ms: 4 }, press: { ok: true, ms: 7 } }

const keySet = {
  keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'DPyV0cFVkGNZf-sg2Bgp9viFr0zUF-g1yR7JiKH9HlI', kid: '2026-11', use: 'sig', alg: 'EdDSA' }],
}

const IMAGE_ORIGIN = { name: 'photos', origin: 'https://static.example.com/pictures/', image_key: IMAGE_KEY }

const PRESET = { quality: 'high', format: 'webp', metadata: 'safe' }

const S3_PLACE = { type: 's3', endpoint: 'https://s3.eu-central-1.amazonaws.com', region: 'eu-central-1', bucket: 'shop-photos' } as const
const AZURE_PLACE = {
  ...{ type: 'azure', endpoint: 'https://shop.blob.core.windows.net', container: 'photos', account_name: 'shop' },
} as const
const S3_CONNECTION = { name: 'shop', ...S3_PLACE, access_key_id: 'AKIA…MPLE', path_style: true, saved_at: CREATED }
const AZURE_CONNECTION = { name: 'archive', ...AZURE_PLACE, saved_at: CREATED }

type Example = Readonly<Record<string, unknown>>

/** JSON answers by operation and name. The first is the one that a reader sees. */
export const answerExamples = (baseUrl: string): Readonly<Record<string, Readonly<Record<string, Example>>>> => ({
  compress: { completed: completed(baseUrl), processing: pending, unchanged: unchanged(baseUrl) },
  batchCompress: {
    batch: {
      batch_id: BATCH_ID,
      tasks: [
        { ...completed(baseUrl), batch_id: BATCH_ID },
        { ...pending, batch_id: BATCH_ID },
      ],
    },
  },
  getBatch: { batch: { batch_id: BATCH_ID, tasks: [{ ...completed(baseUrl), batch_id: BATCH_ID }] } },
  listTasks: { page: { tasks: [completed(baseUrl)], next_cursor: null } },
  getTask: { completed: completed(baseUrl), processing: pending, unchanged: unchanged(baseUrl), failed: failed(baseUrl) },
  deleteTask: { deleted: { task_id: TASK_ID, deleted: true, freed_bytes: 84_290 } },
  getReceipt: { decoded: signedReceipt(baseUrl) },
  createDelivery: {
    task: {
      ...completed(baseUrl),
      destination: { url: 'https://bucket.example.com/photo.jpg' },
      delivery: { status: 'pending', attempts: 0, last_status: null },
    },
  },
  createLink: {
    link: { url: `${baseUrl}/d/dGhlLXRva2VuLW9mLWEtbGluaw`, expires_at: EXPIRES, max_downloads: 5 },
  },
  createUploadToken: { token: { token: `wut_${'A'.repeat(43)}.3xK8sQ1bV0nT7mZ5cJ2hR9wYpLdFgA`, expires_at: EXPIRES } },
  listImageOrigins: { origins: { image_origins: [IMAGE_ORIGIN] } },
  getImageOrigin: { origin: IMAGE_ORIGIN },
  putImageOrigin: { first: { ...IMAGE_ORIGIN, image_secret: IMAGE_SECRET }, changed: IMAGE_ORIGIN },
  purgeImageOrigin: { purged: { purged: 12 } },
  getPreset: { preset: PRESET },
  putPreset: { preset: PRESET },
  listConnections: { connections: { connections: [AZURE_CONNECTION, S3_CONNECTION] } },
  getConnection: { s3: S3_CONNECTION, azure: AZURE_CONNECTION },
  putConnection: { s3: S3_CONNECTION, azure: AZURE_CONNECTION },
  createSync: { begun: begunSync },
  listSyncs: { page: { syncs: [completedSync], next_cursor: null } },
  getSync: { running: sync('running'), completed: completedSync, failed: stoppedSync },
  cancelSync: { cancelled: { ...sync('cancelled'), completed_at: COMPLETED } },
  resumeSync: { running: sync('running') },
  getKeys: { keys: keySet },
  getUpload: {
    upload: { upload_id: UPLOAD_ID, file_name: 'film.mp4', size: 734_003_200, offset: 33_554_432, expires_at: EXPIRES, task_id: null },
  },
  getUsage: { usage },
  getFormats: { formats },
  healthz: { ok: { status: 'ok', checks } },
  getStatus: {
    ok: {
      status: 'ok',
      looked_at: CREATED,
      days: [{ day: '2026-11-26', parts: { service: { looks: 144, failures: 0, mean_ms: 11, max_ms: 95 } } }],
    },
  },
})

/** Values of path, query and header parameters, by name. A reader can send a request without typing them, except ids. */
export const PARAMETER_EXAMPLES: Readonly<Record<string, string | number>> = {
  task_id: TASK_ID,
  batch_id: BATCH_ID,
  upload_id: UPLOAD_ID,
  sync_id: SYNC_ID,
  name: 'web',
  token: 'dGhlLXRva2VuLW9mLWEtbGluaw',
  signature: 'm0l5aDq3m8VQ2vFvQ7m3yQ9x1n4b6c8d0e2f4g6h8i0',
  options: 'w_640,dpr_2,f_auto',
  source: `${IMAGE_KEY}/photos/2026/harbour.jpg`,
  path: '2026/harbour.jpg',
  limit: 20,
  cursor: 'MTc2NDE0OTQwMDAwMA',
  month: '2026-11',
  decoded: '1',
  only: 'compressed',
  Prefer: 'wait=30',
  'Idempotency-Key': '"8e03978e-40d5-43dd-bc93-6894a57f9324"',
  Range: 'bytes=0-1023',
  'If-Match': `"${SHA256}"`,
  'If-None-Match': `"${SHA256}"`,
  'If-Range': `"${SHA256}"`,
  'Tus-Resumable': '1.0.0',
  'Upload-Length': '734003200',
  'Upload-Offset': '33554432',
  'Upload-Metadata': 'filename ZmlsbS5tcDQ=,quality bG93',
  'Upload-Checksum': 'sha256 HCsZBHRbFf9bT9E7IJB2KxLT0DtmTjN/Phhf+M/28ik=',
  'Last-Event-ID': '1.0',
}

/** Request bodies by operation and media type. */
export const BODY_EXAMPLES: Readonly<Record<string, Readonly<Record<string, Example>>>> = {
  compress: {
    'multipart/form-data': { quality: 'medium' },
    'application/json': { source: { connection: 'shop', key: 'photos/photo.jpg' }, destination: { connection: 'shop', prefix: 'small/' } },
  },
  batchCompress: {
    'multipart/form-data': { quality: 'medium' },
    'application/json': { 'uploads[]': [UPLOAD_ID], quality: 'medium' },
  },
  createDelivery: {
    'application/json': {
      destination_url: 'https://bucket.example.com/photo.jpg?signature=abc',
      destination_headers: { 'x-ms-blob-type': 'BlockBlob' },
    },
  },
  createSync: { 'application/json': { ...SYNC_ORDER, quality: 'medium', dry_run: true } },
  createLink: { 'application/json': { expires_in: 3600, max_downloads: 5 } },
  createUploadToken: {
    'application/json': {
      origin: 'https://app.example.com',
      expires_in: 300,
      max_files: 1,
      max_bytes: 10_000_000,
      formats: ['jpg', 'png'],
    },
  },
  putImageOrigin: { 'application/json': { origin: IMAGE_ORIGIN.origin } },
  putPreset: { 'application/json': PRESET },
  putConnection: {
    'application/json': {
      ...S3_PLACE,
      access_key_id: 'AKIAIOSFODNN7EXAMPLE',
      secret_access_key: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    },
  },
}

/** Start of an event stream of a task. */
export const EVENTS_EXAMPLE = `retry: 1000

event: progress
id: 1.0
data: {"progress":0.42,"eta_seconds":12,"queue_position":0}
`

/** Start of an event stream of a sync. */
export const SYNC_EVENTS_EXAMPLE = `retry: 1000

event: progress
id: 1.0
data: ${JSON.stringify(sync('running'))}
`

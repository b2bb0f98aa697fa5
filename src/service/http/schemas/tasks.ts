/** Schemas of answers: tasks, batches, uploads and errors. */
import * as z from 'zod'
import { batchId, bytes, discriminator, ofTestKeys, qualityName, targetScore, taskId, time, uploadId } from './common.ts'
import { receipt } from './receipts.ts'

const errorBody = z
  .object({
    code: z.int().describe('The HTTP status'),
    message: z.string().describe('Message for people'),
    request_id: z.string().describe('Id of the request, as in the header `X-Request-Id`'),
  })
  .meta({ id: 'ErrorBody' })
const errorDetail = z
  .looseObject({
    type: z.string().describe('A stable error type. `/docs/errors` lists them; new types may be added'),
    doc_url: z.url().describe('Page that explains this type'),
  })
  .meta({ id: 'ErrorDetail', description: 'The facts of an error; which ones depends on its `type`.' })
export const errorAnswer = z
  .object({ error: errorBody.describe('Status, message and id of the request'), error_detail: errorDetail.describe('Facts for programs') })
  .meta({ id: 'Error', description: 'Every error looks like this; `error_detail` carries the facts of its type.' })

const shownUrl = z.string().describe('Address without its query, which may hold a signature. Absent: it is a bucket')
const connection = z.string().describe('Name of the connection to a bucket. Absent: it is an address')
const taskCommon = {
  task_id: taskId,
  original_size: bytes.describe('Size of the upload in bytes'),
  created_at: time.describe('Time of the request: ISO 8601, UTC, with milliseconds'),
  file_name: z.string().describe('Name of the upload'),
  format: z
    .string()
    .describe('Recognised input format; `unknown` for a file that no format recognises, and until the file of a `url` was fetched'),
  quality: qualityName.nullable().describe('`null`: the request had `target_score`'),
  target_score: targetScore.optional(),
  batch_id: batchId.optional().describe('Batch that the task belongs to. Absent: none'),
  source: z
    .object({
      url: shownUrl.optional(),
      connection: connection.optional(),
      key: z.string().optional().describe('Key of the object'),
    })
    .meta({ id: 'TaskSource' })
    .optional()
    .describe('Where Whittle fetched the file from. Absent: it was sent'),
  destination: z
    .object({
      url: shownUrl.optional(),
      connection: connection.optional(),
      prefix: z.string().optional().describe('Beginning of the key, if the request named one'),
      key: z.string().optional().describe('Key of the object. Absent: the result has no name yet'),
    })
    .meta({ id: 'TaskDestination' })
    .optional()
    .describe('Where the result is sent, too. Absent: it is only kept here'),
  delivery: z
    .object({
      status: z.enum(['pending', 'delivered', 'failed']).describe('State of the delivery'),
      attempts: z.int().min(0).describe('Number of requests so far'),
      last_status: z.int().nullable().describe('HTTP status of the last response; `null`: none'),
    })
    .meta({ id: 'TaskDelivery' })
    .optional()
    .describe('State of the delivery to the destination. A task that failed has nothing to deliver'),
  test: ofTestKeys.optional(),
}
const etaSeconds = z.number().min(0).nullable().describe('Estimated seconds until the task ends. `null`: unknown')
const queuePosition = z.int().min(0).nullable().describe('Tasks that start before this one; 0 for a running task. `null`: unknown')
export const task = z
  .discriminatedUnion('status', [
    z
      .object({
        ...taskCommon,
        status: z.enum(['pending', 'processing']).describe('`pending`: waits. `processing`: is being compressed'),
        progress: z.number().min(0).max(1).describe('Share of the work that is done, 0 to 1. It never decreases'),
        eta_seconds: etaSeconds,
        queue_position: queuePosition,
      })
      .meta({ id: 'TaskPending' }),
    z
      .object({
        ...taskCommon,
        status: z.literal('completed').describe('The result can be downloaded'),
        download_url: z.url().describe('Address of the result. It needs the key'),
        compressed_size: bytes.describe('Size of the result in bytes'),
        compression_ratio: z
          .string()
          .regex(/^-?\d+\.\d%$/)
          .describe('Share of bytes saved. Negative only with a password'),
        completed_at: time.describe('Time at which the task ended: ISO 8601, UTC, with milliseconds'),
        output_format: z.string().describe('Format of the result. With a password: the format of the file inside the ZIP'),
        output_name: z.string().describe('File name of the result'),
        expires_at: time.describe('Time at which the result is deleted: ISO 8601, UTC, with milliseconds'),
        result: receipt.describe('The receipt: what changed and how it was measured'),
      })
      .meta({ id: 'TaskCompleted' }),
    z
      .object({
        ...taskCommon,
        status: z.literal('failed').describe('There is no result'),
        completed_at: time.describe('Time at which the task ended: ISO 8601, UTC, with milliseconds'),
        error: errorBody.describe('Status, message and id of the request'),
        error_detail: errorDetail.describe('Facts for programs'),
      })
      .meta({ id: 'TaskFailed' }),
  ])
  .meta({
    id: 'Task',
    description: 'One compression job.',
    ...discriminator('status', { pending: 'TaskPending', processing: 'TaskPending', completed: 'TaskCompleted', failed: 'TaskFailed' }),
  })

export const batch = z
  .object({ batch_id: batchId, tasks: z.array(task).describe('One task per file, in upload order') })
  .meta({ id: 'Batch' })
export const taskPage = z
  .object({
    tasks: z.array(task).describe('Tasks, newest first'),
    next_cursor: z.string().nullable().describe('Value of `cursor` for the next page. `null`: this page is the last'),
  })
  .meta({ id: 'TaskPage' })
export const deleted = z
  .object({
    task_id: taskId,
    deleted: z.literal(true).describe('Always true'),
    freed_bytes: bytes.describe('Storage that the task used, in bytes'),
  })
  .meta({ id: 'Deleted' })

export const link = z
  .object({
    url: z.url().describe('Address that downloads the result without a key'),
    expires_at: time.describe('Time at which the link stops working: ISO 8601, UTC, with milliseconds'),
    max_downloads: z.int().nullable().describe('Number of downloads. `null`: no limit'),
  })
  .meta({ id: 'Link' })

export const upload = z
  .object({
    upload_id: uploadId,
    file_name: z.string().describe('Name of the file'),
    size: bytes.describe('Size of the whole file in bytes'),
    offset: bytes.describe('Bytes stored so far; the next PATCH continues there'),
    expires_at: time.describe('Time at which an unfinished upload is deleted: ISO 8601, UTC, with milliseconds'),
    task_id: taskId.nullable().describe('The task that uses this upload. `null`: none'),
  })
  .meta({ id: 'Upload' })

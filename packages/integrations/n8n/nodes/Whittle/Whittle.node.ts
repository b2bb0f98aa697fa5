import type { IDataObject, IExecuteFunctions, INodeExecutionData, INodeType, INodeTypeDescription } from 'n8n-workflow'
import { NodeOperationError } from 'n8n-workflow'
import {
  Whittle as Client,
  type CompressOptions,
  type Content,
  type SyncFields,
  type TaskCompleted,
} from '../../../../clients/typescript/src/index.ts'
import { properties } from './properties.ts'

/**
 * n8n node: compresses the binary file of each item, or an object of a bucket. The item's JSON becomes the receipt. It also starts and shows
 * syncs.
 */
export class Whittle implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Whittle',
    name: 'whittle',
    icon: 'file:whittle.svg',
    group: ['transform'],
    version: 1,
    subtitle: '={{$parameter["operation"]}}',
    description: 'Compresses files and verifies the results',
    defaults: { name: 'Whittle' },
    inputs: ['main'],
    outputs: ['main'],
    usableAsTool: true,
    credentials: [{ name: 'whittleApi', required: true }],
    properties,
  }

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const { server, key } = await this.getCredentials<{ server: string; key: string }>('whittleApi')
    const client = new Client({ baseUrl: server, key })
    const results: INodeExecutionData[] = []
    for (const [index, item] of this.getInputData().entries()) {
      try {
        const operation = this.getNodeParameter('operation', index) as string
        const work = OPERATIONS[operation]
        if (!work) throw new Error(`unknown operation '${operation}'`)
        results.push(await work({ context: this, client, index }))
      } catch (error) {
        const cause = error instanceof Error ? error : new Error(String(error))
        if (!this.continueOnFail()) throw new NodeOperationError(this.getNode(), cause, { itemIndex: index })
        results.push({ json: { ...item.json, error: cause.message }, pairedItem: { item: index } })
      }
    }
    return [results]
  }
}

/** One item of an execution. */
interface Item {
  readonly context: IExecuteFunctions
  readonly client: Client
  readonly index: number
}

const OPERATIONS: { readonly [operation: string]: ((item: Item) => Promise<INodeExecutionData>) | undefined } = {
  compress: compressFile,
  compressObject,
  startSync,
  getSync,
}

async function compressFile({ context, client, index }: Item): Promise<INodeExecutionData> {
  const field = context.getNodeParameter('binaryPropertyName', index) as string
  const { fileName, fileExtension } = context.helpers.assertBinaryData(index, field)
  const bytes = await context.helpers.getBinaryDataBuffer(index, field)
  const name = fileName ?? (fileExtension ? `file.${fileExtension}` : 'file')
  return compressed({ context, client, index }, new Blob([new Uint8Array(bytes)]), name)
}

function compressObject(item: Item): Promise<INodeExecutionData> {
  const text = textsOf(item)
  return compressed(item, { connection: text('sourceConnection'), key: text('sourceKey') })
}

/** Compresses, and returns the result in the binary field unless it has a destination. The task is deleted in any case. */
async function compressed({ context, client, index }: Item, content: Content, name?: string): Promise<INodeExecutionData> {
  const field = context.getNodeParameter('binaryPropertyName', index) as string
  const signal = context.getExecutionCancelSignal()
  const options = optionsOf(context, index)
  const task = await client.compress(content, options, { ...(name === undefined ? {} : { name }), ...(signal && { signal }) })
  try {
    if (options.destination)
      return { json: deliveredJsonOf(await client.delivered(task, signal && { signal })), pairedItem: { item: index } }
    const result = Buffer.from(await client.download(task, signal))
    const binary = { [field]: await context.helpers.prepareBinaryData(result, task.output_name) }
    return { json: jsonOf(task), binary, pairedItem: { item: index } }
  } finally {
    await client.remove(task.task_id)
  }
}

async function startSync(item: Item): Promise<INodeExecutionData> {
  const { context, client, index } = item
  const text = textsOf(item)
  const { format, effort } = context.getNodeParameter('syncOptions', index, {}) as Pick<SyncFields, 'format' | 'effort'>
  const sync = await client.startSync({
    source: { connection: text('sourceConnection'), prefix: text('sourcePrefix') },
    destination: { connection: text('destinationConnection'), prefix: text('destinationPrefix') },
    dry_run: context.getNodeParameter('dryRun', index) as boolean,
    quality: context.getNodeParameter('quality', index) as NonNullable<SyncFields['quality']>,
    ...(format ? { format } : {}),
    ...(effort ? { effort } : {}),
  })
  return { json: { ...sync }, pairedItem: { item: index } }
}

async function getSync(item: Item): Promise<INodeExecutionData> {
  return { json: { ...(await item.client.sync(textsOf(item)('syncId'))) }, pairedItem: { item: item.index } }
}

const textsOf =
  ({ context, index }: Item) =>
  (name: string) =>
    context.getNodeParameter(name, index) as string

/** Compression options. n8n passes '' and 0 for fields that are not filled in. */
function optionsOf(context: IExecuteFunctions, index: number): CompressOptions {
  const { format, password, targetSize, maxWidth, maxHeight, dpi, effort, destinationConnection, destinationPrefix } =
    context.getNodeParameter('options', index, {}) as {
      format?: string
      password?: string
      targetSize?: number
      maxWidth?: number
      maxHeight?: number
      dpi?: number
      effort?: NonNullable<CompressOptions['effort']>
      destinationConnection?: string
      destinationPrefix?: string
    }
  return {
    quality: context.getNodeParameter('quality', index) as NonNullable<CompressOptions['quality']>,
    ...(format ? { format } : {}),
    ...(password ? { password } : {}),
    ...(targetSize ? { target_size: targetSize } : {}),
    ...(maxWidth ? { max_width: maxWidth } : {}),
    ...(maxHeight ? { max_height: maxHeight } : {}),
    ...(dpi ? { dpi } : {}),
    ...(effort ? { effort } : {}),
    ...(destinationConnection ? { destination: { connection: destinationConnection, prefix: destinationPrefix ?? '' } } : {}),
  }
}

/** @throws Error if the result could not be delivered */
function deliveredJsonOf(task: TaskCompleted): IDataObject {
  if (task.delivery?.status !== 'failed') return { ...jsonOf(task), delivery: { ...task.delivery } }
  const { attempts, last_status: status } = task.delivery
  throw new Error(`the result could not be delivered in ${attempts} attempts (${status === null ? 'no answer' : `last status ${status}`})`)
}

const jsonOf = ({ file_name, output_name, format, original_size, compressed_size, result }: TaskCompleted): IDataObject => ({
  ...{ file_name, output_name, format, original_size, compressed_size },
  receipt: { ...result },
})

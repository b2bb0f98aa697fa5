import type { IDataObject, IExecuteFunctions, INodeExecutionData, INodeType, INodeTypeDescription } from 'n8n-workflow'
import { NodeOperationError } from 'n8n-workflow'
import { Whittle as Client, type CompressOptions, type TaskCompleted } from '../../../../clients/typescript/src/index.ts'
import { properties } from './properties.ts'

/** n8n node: compresses the binary file of each item. The item's JSON becomes the receipt. */
export class Whittle implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Whittle',
    name: 'whittle',
    icon: 'file:whittle.svg',
    group: ['transform'],
    version: 1,
    subtitle: '={{$parameter["quality"]}}',
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
        results.push(await compressItem(this, client, index))
      } catch (error) {
        const cause = error instanceof Error ? error : new Error(String(error))
        if (!this.continueOnFail()) throw new NodeOperationError(this.getNode(), cause, { itemIndex: index })
        results.push({ json: { ...item.json, error: cause.message }, pairedItem: { item: index } })
      }
    }
    return [results]
  }
}

async function compressItem(context: IExecuteFunctions, client: Client, index: number): Promise<INodeExecutionData> {
  const field = context.getNodeParameter('binaryPropertyName', index) as string
  const { fileName, fileExtension } = context.helpers.assertBinaryData(index, field)
  const bytes = await context.helpers.getBinaryDataBuffer(index, field)
  const name = fileName ?? (fileExtension ? `file.${fileExtension}` : 'file')
  const signal = context.getExecutionCancelSignal()
  const task = await client.compress(new Blob([new Uint8Array(bytes)]), optionsOf(context, index), { name, ...(signal && { signal }) })
  try {
    const result = Buffer.from(await client.download(task, signal))
    const binary = { [field]: await context.helpers.prepareBinaryData(result, task.output_name) }
    return { json: jsonOf(task), binary, pairedItem: { item: index } }
  } finally {
    await client.remove(task.task_id)
  }
}

/** Compression options. n8n passes '' and 0 for fields that are not filled in. */
function optionsOf(context: IExecuteFunctions, index: number): CompressOptions {
  const { format, password, targetSize, maxWidth, maxHeight, dpi, effort } = context.getNodeParameter('options', index, {}) as {
    format?: string
    password?: string
    targetSize?: number
    maxWidth?: number
    maxHeight?: number
    dpi?: number
    effort?: NonNullable<CompressOptions['effort']>
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
  }
}

const jsonOf = ({ file_name, output_name, format, original_size, compressed_size, result }: TaskCompleted): IDataObject => ({
  ...{ file_name, output_name, format, original_size, compressed_size },
  receipt: { ...result },
})

/** Implements `whittle mcp`: a Model Context Protocol server on standard input and output. It can only access the named folders. */
import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, extname, join, resolve, sep } from 'node:path'
import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import * as z from 'zod'
import { EFFORTS } from '../../../src/core/catalog/effort.ts'
import { DOCUMENT_DPI } from '../../../src/core/catalog/levels.ts'
import { TARGET_SCORES } from '../../../src/core/catalog/score-goal.ts'
import manifest from '../package.json' with { type: 'json' }
import { formatsOf } from './account.ts'
import { bucketAddress } from './address.ts'
import { Client } from './client.ts'
import { type CompressFlags, compressJobs } from './compress.ts'
import { findServer } from './config.ts'
import type { Engine } from './engine.ts'
import { collectFiles } from './files.ts'
import { BUCKET_INPUTS, BUCKET_TOOLS, BucketTools, bucketDestination, bucketSource, destinationOf } from './mcp-buckets.ts'
import type { Destination } from './place.ts'
import { openEngine, requireServer } from './server.ts'
import { CliError } from './trouble.ts'
import { verifyFiles } from './verify.ts'

const quality = z.enum(['low', 'medium', 'high', 'ultra']).optional()
const file = z.string().min(1).describe('Path of a file, inside the folders that this server may use')
/** Input schemas of the tools. Strict, so that an unknown argument is an error, as in the HTTP API. */
const INPUTS = {
  compress: z.strictObject({
    path: file.optional(),
    source: bucketSource.optional().describe('Object in a bucket, instead of path. Needs a service'),
    out: z.string().min(1).optional().describe('Path for the result; default: beside the file, as name.whittled.ext. Needed for a source'),
    destination: bucketDestination
      .optional()
      .describe('Place in a bucket that the service sends the result to, instead of out. It replaces an object of the same key'),
    quality: quality.describe(
      'Default: medium. low gives the smallest file, high the most faithful one; ultra is for DOCX, XLSX, PPTX and OFD',
    ),
    format: z.string().optional().describe('Another output format, as listed by `formats`'),
    target_size: z.int().min(1).optional().describe('Maximum size of the result in bytes'),
    target_score: z
      .number()
      .min(TARGET_SCORES.least)
      .max(TARGET_SCORES.most)
      .optional()
      .describe('Lowest SSIMULACRA 2 score of every picture, instead of quality'),
    max_width: z.int().min(1).optional().describe('Wider pictures are reduced to this width in pixels'),
    max_height: z.int().min(1).optional().describe('Higher pictures are reduced to this height in pixels'),
    dpi: z.int().min(DOCUMENT_DPI.least).max(DOCUMENT_DPI.most).optional().describe('Pictures of documents are reduced to this resolution'),
    effort: z.enum(EFFORTS).optional().describe('How long to search for a small result; default: balanced'),
  }),
  status: z.strictObject({ task_id: z.string().optional().describe('Default: the newest tasks') }),
  verify: z.strictObject({ original: file, result: file, receipt: file.optional().describe('A signed receipt (JWS) or one as JSON') }),
  formats: z.strictObject({}),
}

/** Serves until standard input ends. */
export async function serveMcp(folders: readonly string[], flags: { server?: string; key?: string }): Promise<void> {
  const tools = new Tools(folders, flags)
  const ended = new Promise<void>((done) => process.stdin.once('end', done).once('close', done))
  const handle = serveStdio(() => serverOf(tools))
  await ended
  await handle.close()
  await tools.stop()
}

function serverOf(tools: Tools): McpServer {
  const server = new McpServer({ name: 'whittle', version: manifest.version })
  const compress =
    'Compress a file of a folder or an object of a bucket: pictures, documents, audio, video, data. The result is verified and never larger. Never overwrites a file.'
  server.registerTool('compress', { description: compress, inputSchema: INPUTS.compress }, (input) =>
    toToolResult(() => tools.compress(input)),
  )
  const status = { description: 'Status and progress of tasks.', inputSchema: INPUTS.status, annotations: { readOnlyHint: true } }
  server.registerTool('status', status, (input) => toToolResult(() => tools.status(input)))
  const verify = 'Decode a file and its result, measure how much they differ, and verify a receipt.'
  const reading = { readOnlyHint: true, openWorldHint: false }
  server.registerTool('verify', { description: verify, inputSchema: INPUTS.verify, annotations: reading }, (input) =>
    toToolResult(() => tools.verify(input)),
  )
  const formats = {
    description: 'Supported formats and their output formats.',
    inputSchema: INPUTS.formats,
    annotations: { readOnlyHint: true },
  }
  server.registerTool('formats', formats, () => toToolResult(() => tools.formats()))
  addBucketTools(server, tools.buckets)
  return server
}

function addBucketTools(server: McpServer, tools: BucketTools): void {
  const settings = <Name extends keyof typeof BUCKET_INPUTS>(name: Name) => ({ ...BUCKET_TOOLS[name], inputSchema: BUCKET_INPUTS[name] })
  server.registerTool('connections', settings('connections'), () => toToolResult(() => tools.connections()))
  server.registerTool('sync_start', settings('sync_start'), (input) => toToolResult(() => tools.start(input)))
  server.registerTool('sync_status', settings('sync_status'), (input) => toToolResult(() => tools.status(input)))
  server.registerTool('sync_cancel', settings('sync_cancel'), (input) => toToolResult(() => tools.cancel(input)))
  server.registerTool('sync_resume', settings('sync_resume'), (input) => toToolResult(() => tools.resume(input)))
}

/** Returns the result, or the error message as a tool result that the assistant can read. */
async function toToolResult(work: () => Promise<unknown>) {
  try {
    return { content: [{ type: 'text' as const, text: JSON.stringify(await work()) }] }
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    return { isError: true, content: [{ type: 'text' as const, text: error.message }] }
  }
}

class Tools {
  readonly buckets: BucketTools
  readonly #roots: readonly string[]
  readonly #flags: { server?: string; key?: string }
  /** Opened at the first use. */
  #engine: Engine | undefined

  constructor(folders: readonly string[], flags: { server?: string; key?: string }) {
    this.#roots = (folders.length > 0 ? folders : ['.']).map((folder) => {
      if (!existsSync(folder)) throw new CliError('usage', `Folder not found: '${folder}'.`)
      return realpathSync(folder)
    })
    this.#flags = flags
    this.buckets = new BucketTools(() => requireServer(flags))
  }

  async compress(input: z.output<typeof INPUTS.compress>): Promise<unknown> {
    const path = this.#inputOf(input)
    const out = input.out === undefined ? undefined : this.#insideOrNew(input.out)
    const { jobs } = collectFiles([path], this.#placeOf(input, out), { hidden: false, ignored: false })
    if (jobs[0]?.path !== path) throw new CliError('usage', `${input.path} is a folder. Pass a file.`)
    const flags: CompressFlags = {
      ...(input.destination === undefined ? {} : { destination: destinationOf(input.destination) }),
      ...(input.quality === undefined ? {} : { quality: input.quality }),
      ...(input.format === undefined ? {} : { format: input.format }),
      ...(input.target_size === undefined ? {} : { targetSize: String(input.target_size) }),
      ...(input.target_score === undefined ? {} : { score: input.target_score }),
      ...(input.max_width === undefined ? {} : { maxWidth: input.max_width }),
      ...(input.max_height === undefined ? {} : { maxHeight: input.max_height }),
      ...(input.dpi === undefined ? {} : { dpi: input.dpi }),
      ...(input.effort === undefined ? {} : { effort: input.effort }),
      ...(out === undefined ? {} : { out }),
      ...{ jobs: 1, backup: true, ignore: true, name: '' },
    }
    const silent = { progress: () => undefined, done: () => undefined, stop: () => undefined }
    const { reports, journal } = await compressJobs((this.#engine ??= openEngine(this.#flags, 1)), jobs, flags, silent)
    journal.close()
    const [report] = reports
    if (!report || report.status === 'failed') throw new CliError('failed', report?.message ?? 'interrupted')
    const { status, originalSize, compressedSize, result, facts } = report
    return { status, path, result, original_size: originalSize, compressed_size: compressedSize, receipt: facts?.result }
  }

  /** Path of the file, or address of the object. @throws CliError unless there is exactly one */
  #inputOf({ path, source }: Pick<z.output<typeof INPUTS.compress>, 'path' | 'source'>): string {
    if (path !== undefined && source === undefined) return this.#inside(path)
    if (path !== undefined || source === undefined) throw new CliError('usage', 'Pass either path or source.')
    return bucketAddress(source)
  }

  /** Place of the result. @throws CliError for arguments that exclude each other, and for buckets without a service */
  #placeOf({ source, destination }: z.output<typeof INPUTS.compress>, out: string | undefined): Destination {
    if (source !== undefined || destination !== undefined) requireServer(this.#flags)
    if (out !== undefined && destination !== undefined) throw new CliError('usage', 'Pass either out or destination.')
    if (destination !== undefined) return { kind: 'sent' }
    if (out !== undefined) return { kind: 'file', path: out }
    if (source !== undefined) throw new CliError('usage', 'A source needs out or destination for its result.')
    return { kind: 'beside' }
  }

  async status({ task_id }: z.output<typeof INPUTS.status>): Promise<unknown> {
    const client = new Client(requireServer(this.#flags))
    return task_id === undefined ? (await client.tasks(20)).tasks : client.task(task_id)
  }

  async verify({ original, result, receipt }: z.output<typeof INPUTS.verify>): Promise<unknown> {
    const paths = [original, result, ...(receipt === undefined ? [] : [receipt])].map((path) => this.#inside(path))
    return verifyFiles(paths[0]!, paths[1]!, paths[2])
  }

  async formats(): Promise<unknown> {
    const formats = await formatsOf(findServer(this.#flags))
    return formats.map(({ id, title, extensions, outputs }) => ({ id, title, extensions, outputs }))
  }

  async stop(): Promise<void> {
    await this.#engine?.close()
  }

  /** Resolves symbolic links, so that they cannot lead out of the folders. @throws Trouble if the file is missing or outside */
  #inside(path: string): string {
    const absolute = resolve(this.#roots[0]!, path)
    const real = existsSync(absolute) ? realpathSync(absolute) : undefined
    // Missing files and files in other folders get the same error, so that it does not reveal which files exist.
    if (real === undefined || !this.#isInside(real)) {
      throw new CliError('usage', `File not found: '${path}' is not in the folders that this server may use (${this.#roots.join(', ')}).`)
    }
    return real
  }

  #insideOrNew(path: string): string {
    if (extname(path) === '') throw new CliError('usage', `'${path}' needs a file name with an extension.`)
    const absolute = resolve(this.#roots[0]!, path)
    return existsSync(absolute) ? this.#inside(path) : join(this.#inside(dirname(absolute)), basename(absolute))
  }

  #isInside(real: string): boolean {
    return this.#roots.some((root) => real === root || real.startsWith(root.endsWith(sep) ? root : root + sep))
  }
}

/** `whittle mcp`: what an assistant can ask for, over standard input and output (Model Context Protocol). It sees the named folders alone. */
import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, extname, join, resolve, sep } from 'node:path'
import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import * as z from 'zod'
import manifest from '../package.json' with { type: 'json' }
import { Client } from './client.ts'
import { type CompressFlags, run } from './compress.ts'
import { findServer, type Server } from './config.ts'
import { startEmbedded } from './embedded.ts'
import { collect } from './files.ts'
import { Trouble } from './trouble.ts'
import { measure } from './verify.ts'

const quality = z.enum(['low', 'medium', 'high', 'ultra']).default('medium')
const file = z.string().min(1).describe('Path of a file, inside the folders that this server may use')
/** Closed: an argument that no tool knows is refused, as the service refuses fields. */
const INPUTS = {
  compress: z.strictObject({
    path: file,
    out: z.string().min(1).optional().describe('Path for the result; default: beside the file, as name.whittled.ext'),
    quality: quality.describe('low gives the smallest file, high the most faithful one; ultra is for DOCX, XLSX, PPTX and OFD'),
    format: z.string().optional().describe('Another output format, as `formats` tells them'),
    target_size: z.int().min(1).optional().describe('Bytes: the best result that fits'),
  }),
  status: z.strictObject({ task_id: z.string().optional().describe('Without it: the newest tasks') }),
  verify: z.strictObject({ original: file, result: file, receipt: file.optional().describe('A signed receipt (JWS) or one as JSON') }),
  formats: z.strictObject({}),
}

/** Runs until its input ends. */
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
    'Make a file smaller: pictures, documents, sound, films, data. The result is verified, and is never larger. Writes over nothing.'
  server.registerTool('compress', { description: compress, inputSchema: INPUTS.compress }, (asked) => told(() => tools.compress(asked)))
  const status = { description: 'How far tasks of the service are.', inputSchema: INPUTS.status, annotations: { readOnlyHint: true } }
  server.registerTool('status', status, (asked) => told(() => tools.status(asked)))
  const verify = 'Decode a file and its result, measure how far they differ, and say whether a receipt is true.'
  const reading = { readOnlyHint: true, openWorldHint: false }
  server.registerTool('verify', { description: verify, inputSchema: INPUTS.verify, annotations: reading }, (asked) =>
    told(() => tools.verify(asked)),
  )
  const formats = { description: 'What goes in, and what it may become.', inputSchema: INPUTS.formats, annotations: { readOnlyHint: true } }
  server.registerTool('formats', formats, () => told(() => tools.formats()))
  return server
}

/** What went wrong is an answer too: the assistant shall read it. */
async function told(work: () => Promise<unknown>) {
  try {
    return { content: [{ type: 'text' as const, text: JSON.stringify(await work()) }] }
  } catch (error) {
    if (!(error instanceof Trouble)) throw error
    return { isError: true, content: [{ type: 'text' as const, text: error.message }] }
  }
}

class Tools {
  readonly #roots: readonly string[]
  readonly #flags: { server?: string; key?: string }
  /** Begun when it is first needed. */
  #server: Promise<Server & { stop?(): void }> | undefined

  constructor(folders: readonly string[], flags: { server?: string; key?: string }) {
    this.#roots = (folders.length > 0 ? folders : ['.']).map((folder) => {
      if (!existsSync(folder)) throw new Trouble('usage', `There is no folder '${folder}'.`)
      return realpathSync(folder)
    })
    this.#flags = flags
  }

  async compress(asked: z.output<typeof INPUTS.compress>): Promise<unknown> {
    const path = this.#inside(asked.path)
    const out = asked.out === undefined ? undefined : this.#insideOrNew(asked.out)
    const { jobs } = collect([path], out === undefined ? { kind: 'beside' } : { kind: 'file', path: out }, {
      hidden: false,
      ignored: false,
    })
    if (jobs[0]?.path !== path) throw new Trouble('usage', `${asked.path} is a folder; name a file.`)
    const flags: CompressFlags = {
      quality: asked.quality,
      ...(asked.format === undefined ? {} : { format: asked.format }),
      ...(asked.target_size === undefined ? {} : { targetSize: String(asked.target_size) }),
      ...(out === undefined ? {} : { out }),
      ...{ jobs: 1, backup: true, ignore: true, name: '' },
    }
    const silent = { step: () => undefined, done: () => undefined, stop: () => undefined }
    const { reports, journal } = await run(await this.#service(), jobs, flags, silent)
    journal.close()
    const [report] = reports
    if (!report || report.status === 'failed') throw new Trouble('failed', report?.message ?? 'interrupted')
    const { status, originalSize, compressedSize, result, task } = report
    const receipt = task?.status === 'completed' ? task.result : undefined
    return { status, path, result, original_size: originalSize, compressed_size: compressedSize, receipt }
  }

  async status({ task_id }: z.output<typeof INPUTS.status>): Promise<unknown> {
    const client = new Client(await this.#service())
    return task_id === undefined ? (await client.tasks(20)).tasks : client.task(task_id)
  }

  async verify({ original, result, receipt }: z.output<typeof INPUTS.verify>): Promise<unknown> {
    const paths = [original, result, ...(receipt === undefined ? [] : [receipt])].map((path) => this.#inside(path))
    return measure(paths)
  }

  async formats(): Promise<unknown> {
    const { formats } = await new Client(await this.#service()).formats()
    return formats.filter(({ available }) => available).map(({ id, title, extensions, outputs }) => ({ id, title, extensions, outputs }))
  }

  async stop(): Promise<void> {
    const server = await this.#server?.catch(() => undefined)
    server?.stop?.()
  }

  #service(): Promise<Server & { stop?(): void }> {
    const begun = (this.#server ??= Promise.resolve(findServer(this.#flags) ?? startEmbedded()))
    // What could not be started now may be later.
    begun.catch(() => {
      this.#server = undefined
    })
    return begun
  }

  /** Where a path really leads: links do not lead out of the folders. */
  #inside(path: string): string {
    const absolute = resolve(this.#roots[0]!, path)
    const real = existsSync(absolute) ? realpathSync(absolute) : undefined
    // Not more of what lies elsewhere than that it may not be asked for.
    if (real === undefined || !this.#isInside(real)) {
      throw new Trouble('usage', `There is no file '${path}' in the folders that this server may use (${this.#roots.join(', ')}).`)
    }
    return real
  }

  #insideOrNew(path: string): string {
    if (extname(path) === '') throw new Trouble('usage', `'${path}' is no file name with an extension.`)
    const absolute = resolve(this.#roots[0]!, path)
    return existsSync(absolute) ? this.#inside(path) : join(this.#inside(dirname(absolute)), basename(absolute))
  }

  #isInside(real: string): boolean {
    return this.#roots.some((root) => real === root || real.startsWith(root.endsWith(sep) ? root : root + sep))
  }
}

/** `whittle sync`: compresses the objects of a bucket into another, by a service. */
import { placeOf } from './address.ts'
import { Client, type Sync, type SyncFields } from './client.ts'
import type { Server } from './config.ts'
import { formatBytes } from './show.ts'
import { CliError } from './trouble.ts'

export interface SyncFlags {
  readonly json?: boolean
  readonly dryRun?: boolean
  /** False: return as soon as the sync has begun. */
  readonly wait: boolean
  readonly cancel?: string
  readonly resume?: string
  readonly quality?: SyncFields['quality']
  readonly format?: string
  readonly preset?: string
  readonly score?: number
  readonly effort?: SyncFields['effort']
  readonly metadata?: SyncFields['metadata']
}

/** Starts, resumes or cancels a sync. @returns the exit code */
export async function sync(server: Server, places: readonly string[], flags: SyncFlags): Promise<number> {
  const client = new Client(server)
  if (flags.cancel !== undefined) return show(await client.cancelSync(flags.cancel), flags)
  const begun = flags.resume === undefined ? await client.startSync(fieldsOf(places, flags)) : await client.resumeSync(flags.resume)
  if (!flags.wait) return show(begun, flags)
  return show(await ended(client, begun), flags)
}

function fieldsOf([source, destination]: readonly string[], flags: SyncFlags): SyncFields {
  if (source === undefined || destination === undefined)
    throw new CliError('usage', 'Pass two places: whittle sync s3://CONNECTION/PREFIX s3://CONNECTION/PREFIX')
  const { dryRun, quality, format, preset, score, effort, metadata } = flags
  return {
    source: placeOf(source),
    destination: placeOf(destination),
    dry_run: dryRun === true,
    ...(quality === undefined ? {} : { quality }),
    ...(format === undefined ? {} : { format }),
    ...(preset === undefined ? {} : { preset }),
    ...(score === undefined ? {} : { target_score: score }),
    ...(effort === undefined ? {} : { effort }),
    ...(metadata === undefined ? {} : { metadata }),
  }
}

/** Waits until the sync ends. On a terminal, one line shows its progress. */
async function ended(client: Client, { sync_id }: Sync): Promise<Sync> {
  const isShown = process.stderr.isTTY === true
  const found = await client.waitForSync(sync_id, (current) => {
    if (isShown) process.stderr.write(`\r\x1b[K${progressOf(current)}`)
  })
  if (isShown) process.stderr.write('\r\x1b[K')
  return found
}

function progressOf({ status, found, skipped, compressed, unchanged, failed, reason }: Sync): string {
  const done = skipped + compressed + unchanged + failed
  return `${status}: ${done} of ${found} objects${reason === undefined ? '' : `, ${reason.message}`}`
}

/** Prints a sync. @returns the exit code */
function show(found: Sync, { json }: SyncFlags): number {
  if (json) console.log(JSON.stringify(found))
  else for (const line of linesOf(found)) console.log(line)
  return found.status === 'failed' || found.failed > 0 ? 1 : 0
}

function* linesOf(found: Sync): Generator<string> {
  const { sync_id, status, skipped, compressed, unchanged, failed } = found
  yield `${sync_id}: ${status}${found.reason === undefined ? '' : `, ${found.reason.message}`}`
  yield `${found.found} objects: ${compressed} compressed, ${unchanged} copied unchanged, ${skipped} skipped, ${failed} failed`
  if (compressed + unchanged > 0) yield `${formatBytes(found.original_size)} → ${formatBytes(found.compressed_size)}`
  else if (found.estimated_size > 0)
    yield `estimate: about ${formatBytes(found.estimated_size)}, ${Math.ceil(found.estimated_cpu_seconds)} CPU seconds`
  for (const { key, error } of found.errors) yield `✗ ${key}: ${error}`
}

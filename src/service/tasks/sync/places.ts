/** Where the objects of a sync go, and whether two places are apart. */
import { FORMATS } from '../../../core/catalog/index.ts'
import type { KnownFormat, OutputId } from '../../../core/catalog/outputs.ts'
import { outputName } from '../../../core/pipeline/output-name.ts'
import { type BucketSettings, bucketAddress } from '../../buckets/settings.ts'
import type { SyncOrder } from '../../store/syncs.ts'
import type { Task } from '../../store/task.ts'

/** Last segment of a key: the file name of the object. */
export const lastSegment = (key: string): string => key.slice(key.lastIndexOf('/') + 1)

/**
 * Returns the key at the destination: the prefix is replaced, and the extension follows the format of the result.
 * @param result format of the object and of its result. `undefined`: the object is copied
 */
export function targetKey(
  { source, destination }: Pick<SyncOrder, 'source' | 'destination'>,
  key: string,
  result?: { readonly format: KnownFormat; readonly output: OutputId },
): string {
  const moved = destination.prefix + key.slice(source.prefix.length)
  const name = lastSegment(moved)
  return result && name !== '' ? moved.slice(0, -name.length) + outputName(name, result.format, result.output) : moved
}

/** Returns the key of a task's result, or of the copy of an object. @param task completed task. `undefined`: the object is copied */
export function targetOf(order: Pick<SyncOrder, 'source' | 'destination'>, key: string, task: Task | undefined): string {
  if (!task?.result) return targetKey(order, key)
  return targetKey(order, key, { format: FORMATS[task.format as KnownFormat['id']], output: task.result.output })
}

/** True if results would be listed as sources, or would replace sources: the same bucket, and one prefix begins with the other. */
export function overlap(source: Located, destination: Located): boolean {
  if (bucketAddress(source.settings).toLowerCase() !== bucketAddress(destination.settings).toLowerCase()) return false
  return source.prefix.startsWith(destination.prefix) || destination.prefix.startsWith(source.prefix)
}

interface Located {
  readonly settings: BucketSettings
  readonly prefix: string
}

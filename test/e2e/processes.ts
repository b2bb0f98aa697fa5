/** Who runs below a process. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Ids of every workerd below `pid`. undefined: this system has no `ps` that tells. */
export async function workerdsBelow(pid: number): Promise<number[] | undefined> {
  const listed = await promisify(execFile)('ps', ['-e', '-o', 'pid=,ppid=,args=']).catch(() => undefined)
  if (!listed) return undefined
  const processes = listed.stdout.split('\n').map((row) => {
    const [, id, parent, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(row) ?? []
    return { id: Number(id), parent: Number(parent), isWorkerd: /workerd(\.exe)?["']? serve /.test(command ?? '') }
  })
  const below = [pid]
  for (const parent of below) for (const { id, parent: itsParent } of processes) if (itsParent === parent) below.push(id)
  return processes.filter(({ id, isWorkerd }) => isWorkerd && below.includes(id)).map(({ id }) => id)
}

/** Who runs below a process. */
import { execFile, execFileSync } from 'node:child_process'
import { promisify } from 'node:util'

interface Listed {
  readonly id: number
  readonly command: string
}

/** Everything below `pid`. undefined: this system has no `ps` that tells. */
async function processesBelow(pid: number): Promise<Listed[] | undefined> {
  const listed = await promisify(execFile)('ps', ['-e', '-o', 'pid=,ppid=,args=']).catch(() => undefined)
  if (!listed) return undefined
  const processes = listed.stdout.split('\n').map((row) => {
    const [, id, parent, command = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(row) ?? []
    return { id: Number(id), parent: Number(parent), command }
  })
  const below = [pid]
  for (const parent of below) for (const { id, parent: itsParent } of processes) if (itsParent === parent) below.push(id)
  return processes.filter(({ id }) => below.includes(id))
}

const idsOf = (processes: Listed[] | undefined, pattern: RegExp) =>
  processes?.filter(({ command }) => pattern.test(command)).map(({ id }) => id)

/** Ids of every workerd below `pid`. undefined: this system has no `ps` that tells. */
export const workerdsBelow = async (pid: number) => idsOf(await processesBelow(pid), /workerd(\.exe)?["']? serve /)

/** Ids of everything below `pid` that Node runs, and its own: what `pkill -9 node` ends. */
export const nodesBelow = async (pid: number) => idsOf(await processesBelow(pid), /^\S*node /) ?? []

/** Ids of every press that is a process below `pid`. */
export const pressesBelow = async (pid: number) => idsOf(await processesBelow(pid), /\/(press|media)\.mjs$/) ?? []

export const isThere = (pid: number): boolean =>
  execFileSync('ps', ['-e', '-o', 'pid='], { encoding: 'utf8' })
    .split('\n')
    .some((row) => Number(row) === pid)

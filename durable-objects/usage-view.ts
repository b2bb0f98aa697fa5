import type { ApplicationRecord, KeyCalls, UsageView } from '../src/service/store/accounts.ts'
import { consoleGateName, type KeyGateApi } from '../src/service/store/keys.ts'
import type { Namespace } from '../src/service/store/namespace.ts'
import { picturesGateName } from '../src/service/store/pictures.ts'
import type { KeyTable } from './key-table.ts'
import type { TaskIndex } from './task-index.ts'

/** Sources of an account's monthly usage: the task index, and the KeyGate objects that count API calls. */
export interface UsageSources {
  readonly accountId: string
  readonly tasks: TaskIndex
  readonly keys: KeyTable
  readonly gates: Namespace<KeyGateApi>
}

type Sums =
  | 'api_calls'
  | 'cpu_seconds'
  | 'cpu_seconds_estimated'
  | 'original_size'
  | 'compressed_size'
  | 'tasks_completed'
  | 'tasks_failed'
  | 'by_format'
  | 'by_day'

/** Returns the usage of a month such as "2026-11". */
export async function usageOf({ accountId, tasks, keys, gates }: UsageSources, month: string): Promise<Pick<UsageView, Sums>> {
  const view: Pick<UsageView, Sums> = {
    api_calls: 0,
    original_size: 0,
    compressed_size: 0,
    cpu_seconds: 0,
    cpu_seconds_estimated: 0,
    tasks_completed: 0,
    tasks_failed: 0,
    by_format: {},
    by_day: [],
  }
  const days = new Map<string, UsageView['by_day'][number]>()
  const dayView = (day: string) => {
    const found = days.get(day) ?? { day, api_calls: 0, tasks: 0, original_size: 0, compressed_size: 0 }
    days.set(day, found)
    return found
  }
  for (const row of tasks.usage(month)) {
    const format = (view.by_format[row.format] ??= { tasks: 0, original_size: 0, compressed_size: 0 })
    for (const part of [format, dayView(row.day)]) {
      part.tasks += row.completed + row.failed
      part.original_size += row.original
      part.compressed_size += row.compressed
    }
    view.original_size += row.original
    view.compressed_size += row.compressed
    view.cpu_seconds += row.cpu_ms / 1000
    view.cpu_seconds_estimated += row.cpu_estimated_ms / 1000
    view.tasks_completed += row.completed
    view.tasks_failed += row.failed
  }
  view.cpu_seconds = roundToTenth(view.cpu_seconds)
  view.cpu_seconds_estimated = roundToTenth(view.cpu_seconds_estimated)
  const names = [...keys.ofMonth(month).map(({ gate }) => gate), consoleGateName(accountId), picturesGateName(accountId)]
  const calls = await Promise.all(names.map((name) => gates.getByName(name).calls(month)))
  for (const { total, byDay } of calls) {
    view.api_calls += total
    for (const [day, count] of Object.entries(byDay)) dayView(day).api_calls += count
  }
  view.by_day = [...days.values()].sort((a, b) => a.day.localeCompare(b.day))
  return view
}

const roundToTenth = (value: number) => Math.round(value * 10) / 10

/** Returns the calls of each key used in the month, including removed keys, and of the console; most calls first. */
export async function callsByKey(
  { accountId, keys, gates }: Omit<UsageSources, 'tasks'>,
  applications: readonly ApplicationRecord[],
  month: string,
): Promise<KeyCalls[]> {
  const names = new Map(applications.map(({ applicationId, name }) => [applicationId, name]))
  const callsOf = async (gate: string) => (await gates.getByName(gate).calls(month)).total
  const ofKeys = keys.ofMonth(month).map(async ({ keyId, masked, name, applicationId, gate }): Promise<KeyCalls> => {
    const application = names.get(applicationId)
    const key = { keyId, masked, ...(name === undefined ? {} : { name }) }
    return { key, ...(application === undefined ? {} : { application }), calls: await callsOf(gate) }
  })
  const ofConsole = callsOf(consoleGateName(accountId)).then((calls): KeyCalls => ({ calls }))
  return (await Promise.all([...ofKeys, ofConsole])).filter(({ calls }) => calls > 0).sort((a, b) => b.calls - a.calls)
}

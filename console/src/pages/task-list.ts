/** List of tasks: loaded page by page, polled while tasks are unfinished, with deletions that can be undone. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { call, isOpen, type Task } from '../api.ts'
import { message } from '../parts.tsx'

interface Page {
  tasks: Task[]
  next_cursor: string | null
}

/** Polling interval of unfinished tasks in ms. */
const LOOK_MS = 2000
/** Time in ms during which a deletion can be undone. */
const UNDO_MS = 6000

/**
 * Merges a page of tasks into the list. A new first page replaces everything down to its last task,
 * so that tasks deleted elsewhere disappear. Older tasks stay unchanged.
 */
function merged(page: Page, known: Page, isLater: boolean): Page {
  if (isLater) {
    const fresh = new Set(page.tasks.map((task) => task.task_id))
    return { ...page, tasks: [...known.tasks.filter((task) => !fresh.has(task.task_id)), ...page.tasks] }
  }
  const oldest = page.tasks.at(-1)
  const end = known.tasks.findIndex((task) => task.task_id === oldest?.task_id)
  // If the pages do not overlap, the list starts anew.
  return end < 0 ? page : { tasks: [...page.tasks, ...known.tasks.slice(end + 1)], next_cursor: known.next_cursor }
}

export function useTasks() {
  const [list, setList] = useState<Page>()
  const [error, setError] = useState<string>()

  const load = async (from?: string) => {
    try {
      const page = await call<Page>('GET', `/v1/tasks?limit=50${from ? `&cursor=${encodeURIComponent(from)}` : ''}`)
      setList((known) => (known ? merged(page, known, from !== undefined) : page))
      setError(undefined)
    } catch (problem) {
      setError(message(problem))
    }
  }
  useEffect(() => void load(), [])
  const open = list?.tasks.some(isOpen) ?? false
  useEffect(() => {
    if (!open) return
    const timer = setInterval(() => void load(), LOOK_MS)
    return () => clearInterval(timer)
  }, [open])

  const hidden = useDeletions(setError)
  return {
    tasks: list?.tasks.filter((task) => !hidden.has(task.task_id)),
    cursor: list?.next_cursor,
    error,
    load,
    remove: hidden.remove,
    undo: hidden.undo,
    deleted: hidden.waiting,
  }
}

/** Deletion with undo: tasks disappear at once and are deleted by the service after the undo time. */
function useDeletions(fail: (error: string) => void) {
  const [waiting, setWaiting] = useState<readonly Task[]>([])
  const gone = useRef(new Set<string>())
  const latest = useRef<readonly Task[]>([])
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const set = (tasks: readonly Task[]) => {
    latest.current = tasks
    setWaiting(tasks)
  }
  const carryOut = async () => {
    clearTimeout(timer.current)
    const tasks = latest.current
    set([])
    for (const { task_id } of tasks) {
      gone.current.add(task_id)
      await call('DELETE', `/v1/tasks/${task_id}`).catch((problem: unknown) => {
        gone.current.delete(task_id)
        fail(message(problem))
      })
    }
  }
  useEffect(() => {
    const leave = () => void carryOut()
    addEventListener('pagehide', leave)
    return () => {
      removeEventListener('pagehide', leave)
      leave()
    }
  }, [])
  return {
    waiting,
    has: (id: string) => gone.current.has(id) || waiting.some((task) => task.task_id === id),
    remove: (tasks: readonly Task[]) => {
      clearTimeout(timer.current)
      set([...latest.current, ...tasks])
      timer.current = setTimeout(() => void carryOut(), UNDO_MS)
    },
    undo: () => {
      clearTimeout(timer.current)
      set([])
    },
  }
}

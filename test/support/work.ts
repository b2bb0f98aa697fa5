/**
 * Counts work instead of time, so that results are the same on every machine and under every load.
 * It counts how often V8 enters each block of code (precise coverage). It also counts the elements that built-ins with linear time process,
 * such as copying, searching and shifting. Work inside WebAssembly is not counted.
 */
import { Session } from 'node:inspector/promises'

type List = ArrayLike<unknown>
type Elements = (on: List, args: readonly unknown[], answer: unknown) => number

const made: Elements = (_, __, answer) => (answer as List).length
const all: Elements = (on) => on.length
const from = (on: List, start: unknown) => Math.min(Math.max(Number(start ?? 0), 0), on.length)
const until: Elements = (on, [, start], answer) =>
  (answer === -1 || answer === false ? on.length : Math.max(Number(answer), 0)) - from(on, start)
const behind: Elements = (on, [start]) => on.length - from(on, start)
const filled: Elements = (on, [, start, end]) => from(on, end ?? on.length) - from(on, start)
/** Array length from which V8 moves the elements for `shift`. Smaller arrays only move their start. */
const IN_PLACE = 16_000
const moved: Elements = (on) => (on.length < IN_PLACE ? 1 : on.length)

/** Built-ins with linear time, and how many elements a call processes. */
const LINEAR_BUILT_INS: readonly (readonly [object, Readonly<Record<string, Elements>>])[] = [
  [
    Object.getPrototypeOf(Uint8Array.prototype),
    { slice: made, copyWithin: behind, indexOf: until, includes: until, fill: filled, join: all, findIndex: until },
  ],
  [
    Array.prototype,
    {
      slice: made,
      splice: behind,
      shift: moved,
      unshift: all,
      concat: made,
      indexOf: until,
      includes: until,
      join: all,
      fill: filled,
      flat: made,
    },
  ],
]

/** Profiler session. It starts once and never ends, because V8 only counts blocks of functions compiled while it runs. */
const counting = (async () => {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  return session
})()

/** Calls `add` with the number of elements of each call of a built-in. The returned function ends this. */
function watchBuiltIns(add: (elements: number) => void): () => void {
  const undo = LINEAR_BUILT_INS.flatMap(([prototype, built]) =>
    Object.entries(built).map(([name, elements]) => {
      const methods = prototype as Record<string, (...args: unknown[]) => unknown>
      const method = methods[name]!
      methods[name] = function (this: List, ...args) {
        const on = { length: this.length }
        const answer = method.apply(this, args)
        add(elements(on, args, answer))
        return answer
      }
      return () => {
        methods[name] = method
      }
    }),
  )
  return () => {
    for (const one of undo) one()
  }
}

/** Returns the work of `run`: blocks entered and elements processed. */
export async function countWork(run: () => Promise<unknown>): Promise<number> {
  const session = await counting
  let work = 0
  const undo = watchBuiltIns((elements) => {
    work += elements
  })
  try {
    // Discards the counts before `run`.
    await session.post('Profiler.takePreciseCoverage')
    await run()
  } finally {
    undo()
  }
  const { result } = await session.post('Profiler.takePreciseCoverage')
  for (const { functions } of result) for (const { ranges } of functions) for (const { count } of ranges) work += count
  return work
}

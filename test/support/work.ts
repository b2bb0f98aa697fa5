/**
 * Work, counted instead of timed: the same on every machine, and under every load.
 *
 * What is counted is how often V8 enters each block of code (precise coverage), and how many elements its built-ins pass over where one
 * call takes longer the more there are: a copy, a search, a shift. What runs inside WebAssembly is not seen.
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
/** V8 moves the beginning of an array instead of its elements, unless it is as large as this. */
const IN_PLACE = 16_000
const moved: Elements = (on) => (on.length < IN_PLACE ? 1 : on.length)

/** The built-ins whose one call takes the longer the more there is, and how many elements it passes over. */
const PASSING_OVER: readonly (readonly [object, Readonly<Record<string, Elements>>])[] = [
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

/** Begun once and never ended: V8 counts the blocks only of functions that it compiles meanwhile. */
const counting = (async () => {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  return session
})()

/** Calls `add` with what each call of such a built-in passes over, until the answer is called. */
function watchBuiltIns(add: (elements: number) => void): () => void {
  const undo = PASSING_OVER.flatMap(([prototype, built]) =>
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

/** Blocks entered and elements passed over while `run` ran. */
export async function workOf(run: () => Promise<unknown>): Promise<number> {
  const session = await counting
  let work = 0
  const undo = watchBuiltIns((elements) => {
    work += elements
  })
  try {
    // What was counted before belongs to somebody else.
    await session.post('Profiler.takePreciseCoverage')
    await run()
  } finally {
    undo()
  }
  const { result } = await session.post('Profiler.takePreciseCoverage')
  for (const { functions } of result) for (const { ranges } of functions) for (const { count } of ranges) work += count
  return work
}

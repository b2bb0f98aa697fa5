/** Small files that take long (review S4): plans that do not pay for them get `over_budget` at once, and neighbours do not wait. */
import { type Attack, timed } from './attack.ts'
import { heavyAnimation } from './heavy-file.ts'
import { Target } from './target.ts'

const FRAMES = 12
const SIDE = 2000
const FILES = 4
const MOST_SECONDS = 10

interface Task {
  readonly status: string
  readonly result?: { readonly outcome: string; readonly reason?: string; readonly detail?: string }
}

export const expensiveShapes: Attack = {
  name: 'expensive-shapes',
  title: `${FILES} animations of ${FRAMES} frames of ${SIDE}² pixels of free and basic accounts, beside a neighbour`,
  async run() {
    await using target = await Target.start()
    const file = heavyAnimation(FRAMES, SIDE)
    const neighbour = await target.account('enterprise')
    const attackers = [await target.account('free'), await target.account('basic')]
    const compress = async (key: string) => (await (await target.upload(key, file, 'frames.png', { Prefer: 'wait=60' })).json()) as Task
    const tasks: Task[] = []
    const attackMs = await timed(async () => {
      const sent = Array.from({ length: FILES }, (_, at) => compress(attackers[at % attackers.length]!.key))
      tasks.push(...(await Promise.all(sent)))
    })
    const text = new Uint8Array(Buffer.alloc(200_000, 'text of a neighbour\n'))
    const neighbourMs = await timed(async () => (await target.upload(neighbour.key, text, 'neighbour.txt')).arrayBuffer())
    const before = await target.pressSeconds()
    const paid = await compress(neighbour.key)
    const refused = tasks.filter(({ result }) => result?.reason === 'over_budget')
    return [
      { what: `file of ${file.length} bytes: ${refused[0]?.result?.detail}`, value: 0, unit: '' },
      { what: 'files that were not refused', value: FILES - refused.length, unit: '', most: 0 },
      { what: 'all files of the attackers', value: attackMs / 1000, unit: 's', most: MOST_SECONDS },
      { what: 'CPU time of a press process by then', value: before, unit: 's', most: MOST_SECONDS },
      { what: "the neighbour's file afterwards", value: neighbourMs / 1000, unit: 's', most: MOST_SECONDS },
      {
        what: `the same file on a plan that pays: ${paid.status}, refused`,
        value: paid.result?.reason === 'over_budget' ? 1 : 0,
        unit: '',
        most: 0,
      },
      { what: 'CPU time of a press process afterwards', value: await target.pressSeconds(), unit: 's' },
    ]
  },
}

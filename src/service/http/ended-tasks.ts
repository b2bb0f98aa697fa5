/** Tasks whose end a client of an event stream has received, and the event ids that say so. */
import type { Task } from '../store/task.ts'

/** Most tasks of a batch, in hexadecimal digits with four tasks each. */
const EVENT_ID = /^\d{1,9}\.([0-9a-f]{1,64})$/

/**
 * An event id has a number that grows, and a set of tasks by their position in the batch, as hexadecimal digits. So a client that comes
 * again gets only the ends that it has not received, and the service remembers nothing.
 */
export class EndedTasks {
  #set: bigint
  #count = 0

  private constructor(set: bigint) {
    this.#set = set
  }

  /** @param lastEventId header `Last-Event-ID`. Ids that this service did not send are ignored */
  static after(lastEventId: string | undefined): EndedTasks {
    const digits = EVENT_ID.exec(lastEventId ?? '')?.[1]
    return new EndedTasks(digits === undefined ? 0n : BigInt(`0x${digits}`))
  }

  has(task: Pick<Task, 'position'>): boolean {
    return (this.#set & bitOf(task)) !== 0n
  }

  add(task: Pick<Task, 'position'>): void {
    this.#set |= bitOf(task)
  }

  /** Id of the next event. */
  eventId(): string {
    return `${++this.#count}.${this.#set.toString(16)}`
  }
}

const bitOf = ({ position = 0 }: Pick<Task, 'position'>) => 1n << BigInt(position)

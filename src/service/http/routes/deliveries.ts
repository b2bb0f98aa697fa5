/** Deliveries: sends the result of a task to its destination again. */

import { invalidParameter } from '../../tasks/api-error.ts'
import { readJson } from '../body.ts'
import { chosenDestination } from '../destinations.ts'
import { json, type Route } from '../route.ts'
import { deliveryFields, parseOrRefuse } from '../schemas/requests.ts'
import { task as taskShape } from '../schemas/tasks.ts'
import { authorizedTask, completedResult, unknownTask } from '../task-access.ts'
import { serialiseTask } from '../task-serialiser.ts'

const asText = ([name, value]: [string, unknown]): [string, string] => [name, typeof value === 'string' ? value : JSON.stringify(value)]

export const createDelivery: Route = {
  method: 'POST',
  path: '/v1/tasks/{task_id}/deliveries',
  access: 'compress',
  async handle(c) {
    const { task, record } = await authorizedTask(c)
    const fields = parseOrRefuse(deliveryFields, await readJson(c.req.raw))
    const destination = await chosenDestination(c, new Map(Object.entries(fields).map(asText)), false)
    completedResult(task)
    if (!destination && !task.delivery) throw invalidParameter('destination_url', 'task_without_destination')
    const delivered = await record.redeliver(destination)
    if (!delivered) throw unknownTask(task.taskId)
    return json(await serialiseTask(c, delivered))
  },
  doc: {
    id: 'createDelivery',
    summary: 'Send a result to its destination again',
    description:
      'Begins a new delivery, with up to five requests. A running one ends. `destination_url` or `destination` replaces the destination of the task, for example because a presigned address has expired. The answer is the task.',
    json: deliveryFields,
    answer: taskShape,
    errors: [400, 403, 404, 409],
  },
}

/** Deliveries: sends the result of a task to its destination again. */

import { invalidParameter } from '../../tasks/api-error.ts'
import { destinationOf } from '../../tasks/destination.ts'
import { readJson } from '../body.ts'
import { json, type Route } from '../route.ts'
import { deliveryFields, parseOrRefuse } from '../schemas/requests.ts'
import { task as taskShape } from '../schemas/tasks.ts'
import { authorizedTask, completedResult, unknownTask } from '../task-access.ts'
import { serialiseTask } from '../task-serialiser.ts'

export const createDelivery: Route = {
  method: 'POST',
  path: '/v1/tasks/{task_id}/deliveries',
  access: 'compress',
  async handle(c) {
    const { task, record } = await authorizedTask(c)
    const { destination_url: url, destination_headers: headers } = parseOrRefuse(deliveryFields, await readJson(c.req.raw))
    const destination = destinationOf(c.env, url, headers && JSON.stringify(headers))
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
      'Begins a new delivery, with up to five requests. A running one ends. `destination_url` replaces the destination of the task, for example because a presigned address has expired. The answer is the task.',
    json: deliveryFields,
    answer: taskShape,
    errors: [400, 403, 404, 409],
  },
}

/** The edge Worker with only the text codec. Complete presses are tested in test/e2e, because they load slowly here. */
import { WorkerEntrypoint } from 'cloudflare:workers'
import { Account as RealAccount } from '../../../durable-objects/account.ts'
import { KeyGate as RealKeyGate } from '../../../durable-objects/key-gate.ts'
import { SyncRecord as RealSyncRecord } from '../../../durable-objects/sync-record.ts'
import { TaskRecord as RealTaskRecord } from '../../../durable-objects/task-record.ts'
import { UploadRecord as RealUploadRecord } from '../../../durable-objects/upload-record.ts'
import { text } from '../../../src/core/formats/text/text.ts'
import edge from '../../../src/index.ts'
import type { Env, MediaApi, PressApi, WorkerEnv } from '../../../src/service/env.ts'
import { withRegionBindings } from '../../../src/service/store/region-bindings.ts'
import type { JobMessage } from '../../../src/service/store/tasks.ts'
import { consume } from '../../../src/service/tasks/consume.ts'
import { type Codecs, run } from '../../../src/service/tasks/run.ts'
import { withJurisdictions } from './jurisdictions.ts'
import { counted, countedRows } from './operations.ts'

const CODECS: Codecs = { text }

const doubled = <E extends Partial<Env>>(env: E): E => counted(withJurisdictions(env))

export class Account extends RealAccount {
  constructor(ctx: DurableObjectState, env: Env) {
    super(countedRows(ctx, 'Account'), doubled(env))
  }
}

export class KeyGate extends RealKeyGate {
  constructor(ctx: DurableObjectState, env: Env) {
    super(countedRows(ctx, 'KeyGate'), doubled(env))
  }
}

export class TaskRecord extends RealTaskRecord {
  constructor(ctx: DurableObjectState, env: Env) {
    super(countedRows(ctx, 'TaskRecord'), doubled(env))
  }
}

export class SyncRecord extends RealSyncRecord {
  constructor(ctx: DurableObjectState, env: Env) {
    super(countedRows(ctx, 'SyncRecord'), doubled(env))
  }
}

export class UploadRecord extends RealUploadRecord {
  constructor(ctx: DurableObjectState, env: Env) {
    super(countedRows(ctx, 'UploadRecord'), doubled(env))
  }
}

export class Press extends WorkerEntrypoint<WorkerEnv> implements PressApi {
  run(taskId: string) {
    return run(withRegionBindings(doubled(this.env)), CODECS, { taskId, generation: null, step: 'whole' })
  }

  async health() {
    return { ok: true as const, formats: Object.keys(CODECS) }
  }
}

export class Media extends WorkerEntrypoint<WorkerEnv> implements MediaApi {
  async health() {
    return { ok: true as const, formats: [] }
  }
}

export default {
  ...edge,
  fetch: (request: Request, env: Env, ctx: ExecutionContext) => edge.fetch(request, doubled(env), ctx),
  queue: (batch: MessageBatch<JobMessage>, env: WorkerEnv) => consume(batch, withRegionBindings(doubled(env)), CODECS),
}

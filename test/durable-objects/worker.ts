export { Account } from '../../durable-objects/account.ts'
export { KeyGate } from '../../durable-objects/key-gate.ts'
export { SyncRecord } from '../../durable-objects/sync-record.ts'
export { TaskRecord } from '../../durable-objects/task-record.ts'
export { UploadRecord } from '../../durable-objects/upload-record.ts'

export default { fetch: () => new Response('for tests') }

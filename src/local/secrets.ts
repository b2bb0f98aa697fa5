/** The secrets of a state folder, one NAME=value per line: keys of passwords and receipts, and the operator's token. */
import { Buffer } from 'node:buffer'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { newReceiptKeys } from './receipt-keys.ts'
import { writeStateFile } from './state-file.ts'

export interface Secrets {
  readonly file: string
  readonly adminToken: string
  /** True if the state folder has data, but its secrets were missing and are new. */
  readonly replaced: boolean
}

const REQUIRED = ['SECRET_KEY', 'ADMIN_TOKEN'] as const

/**
 * Loads the secrets of a state folder. Creates them at the first start, readable by their owner only.
 * @throws Error if the file is damaged: new secrets would make old receipts and waiting passwords unreadable, so nothing is replaced
 */
export async function loadSecrets(file: string): Promise<Secrets> {
  const existing = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new Error(`${file} cannot be read (${error.code}).`)
  })
  const text = existing ?? newSecrets()
  const problem = problemOf(text)
  if (problem !== undefined)
    throw new Error(
      `${file} is damaged: ${problem}. Restore the file from a backup. Without a backup, move it away and start again: the next start ` +
        'creates new secrets. Then older receipts can no longer be verified, and jobs that wait with a password fail.',
    )
  // State folders of older releases have no receipt keys.
  const missing = /^RECEIPT_KEYS=/m.test(text) ? '' : `RECEIPT_KEYS=${newReceiptKeys()}\n`
  if (existing === undefined || missing) await writeStateFile(file, text + missing)
  const replaced = existing === undefined && existsSync(join(dirname(file), 'v3'))
  return { file, adminToken: secretIn(text, 'ADMIN_TOKEN')!, replaced }
}

const newSecret = () => Buffer.from(randomBytes(32)).toString('base64url')

const newSecrets = () => [`SECRET_KEY=${newSecret()}`, `ADMIN_TOKEN=${newSecret()}`, 'ENVIRONMENT=local', 'LEASE_MS=30000', ''].join('\n')

const secretIn = (text: string, name: string) => new RegExp(`^${name}=(.+)$`, 'm').exec(text)?.[1]

/** Says why secrets are unusable. `undefined`: they are complete. */
function problemOf(text: string): string | undefined {
  // A file that a crash cut off ends inside a line. Complete files end with a line end.
  if (!text.endsWith('\n')) return 'its last line is incomplete'
  for (const name of REQUIRED) if (secretIn(text, name) === undefined) return `it has no ${name}`
  const receiptKeys = secretIn(text, 'RECEIPT_KEYS')
  return receiptKeys === undefined || hasPrivateKey(receiptKeys) ? undefined : 'RECEIPT_KEYS is no JSON Web Key Set with a private key'
}

function hasPrivateKey(text: string): boolean {
  try {
    const { keys } = JSON.parse(text) as { keys?: { d?: unknown }[] }
    return typeof keys?.[0]?.d === 'string'
  } catch {
    return false
  }
}

/**
 * Tokens of download links: task id, link id and a signature over both (HMAC-SHA256), separated by dots.
 * The signature is checked before the task is looked up, because each lookup of an unknown name creates a Durable Object.
 */
import { Buffer } from 'node:buffer'
import { hmacSha256 } from '../store/hmac.ts'
import { randomBase62 } from '../store/key-format.ts'
import { taskId as taskIdSchema } from './schemas/common.ts'

const LINK_ID_LENGTH = 16
const TOKEN = /^(\w{1,40})\.([0-9A-Za-z]{16})\.([\w-]{43})$/

export interface LinkName {
  readonly taskId: string
  readonly linkId: string
}

export const newLinkId = () => randomBase62(LINK_ID_LENGTH)

/** @param secret the Worker secret `SECRET_KEY` */
export async function linkToken({ taskId, linkId }: LinkName, secret: string): Promise<string> {
  return `${taskId}.${linkId}.${await signature({ taskId, linkId }, secret)}`
}

/** Returns what a token names. `undefined`: the token was not made with this secret. */
export async function parseLinkToken(token: string, secret: string): Promise<LinkName | undefined> {
  const [, taskId = '', linkId = '', signed = ''] = TOKEN.exec(token) ?? []
  if (!taskIdSchema.safeParse(taskId).success) return undefined
  const expected = await signature({ taskId, linkId }, secret)
  const [left, right] = [Buffer.from(expected), Buffer.from(signed)]
  return left.length === right.length && crypto.subtle.timingSafeEqual(left, right) ? { taskId, linkId } : undefined
}

const signature = async ({ taskId, linkId }: LinkName, secret: string): Promise<string> =>
  Buffer.from(await hmacSha256(`whittle link\0${secret}`, `${taskId}.${linkId}`)).toString('base64url')

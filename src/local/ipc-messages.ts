/** What a press and its parent tell each other. Sent by structured clone, so `undefined`, bytes and Infinity arrive as they are. */
import type { Claim } from '../service/store/tasks.ts'
import type { Step } from '../service/tasks/run.ts'
import type { NativeRequest } from './native.ts'

export type Claimed = Extract<Claim, { kind: 'claimed' }>

/** What a press may ask of the task that it works on; the parent asks it in the press's name, with the attempt that it holds itself. */
export const CALLS = ['split', 'completePart', 'complete', 'fail', 'giveUp', 'release'] as const
export type Call = (typeof CALLS)[number]

export interface Work {
  readonly kind: 'work'
  readonly step: Step
  readonly claim: Claimed
  /** The press's own: blobs as files (`fileOf`), what it may read and all that it may write. */
  readonly folder: string
  /** Of the press's own memory, what its job may use; in bytes. */
  readonly memoryBudget: number
  /** The name of a program for films that stands beside the press. */
  readonly native?: string
}

export type ToPress = Work | { readonly kind: 'answer'; readonly call: number; readonly value?: unknown; readonly error?: string }

export type FromPress =
  | { readonly kind: 'ready'; readonly formats: readonly string[] }
  | { readonly kind: 'progress'; readonly share: number }
  /** Its job goes on with more than an isolate has. */
  | { readonly kind: 'enlarged' }
  /** The program beside it shall run; answered like a call, with what went wrong. */
  | { readonly kind: 'native'; readonly call: number; readonly request: NativeRequest }
  | { readonly kind: 'call'; readonly call: number; readonly method: Call; readonly args: readonly unknown[] }
  /** `error`: the step could not even be recorded as broken. */
  | { readonly kind: 'done'; readonly error?: string }

/** What the parent hears of a press: what it says, and last of all that it is gone. */
export type FromProcess = FromPress | { readonly kind: 'gone'; readonly why: string }

/** The file of a blob, in the folder of a press. */
export const fileOf = (key: string) => key.replaceAll('/', '~')

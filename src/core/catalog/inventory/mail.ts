import type { OutputId } from '../outputs.ts'
import type { FormatPolicy } from './policy.ts'

export const MAIL = {} as const satisfies { readonly [Id in OutputId]?: FormatPolicy }

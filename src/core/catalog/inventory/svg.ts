import type { OutputId } from '../outputs.ts'
import type { FormatPolicy } from './policy.ts'

export const SVG = {} as const satisfies { readonly [Id in OutputId]?: FormatPolicy }

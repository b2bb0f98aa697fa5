/** Texts of messages about files in Simplified Chinese. A code that is missing here stays English. */
import type { EN } from './en.ts'

export const ZH = {} as const satisfies { readonly [Code in keyof typeof EN]?: string }

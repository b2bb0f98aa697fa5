/** One thing that a receipt says, and whether it is so. */
export interface Finding {
  readonly field: string
  /** `unchecked`: the two files do not show it, or it could not be measured. */
  readonly verdict: 'true' | 'false' | 'unchecked'
  /** What is so instead, or why it is not known. */
  readonly detail?: string
}

/** `detail` is told of what is false. */
export const finding = (field: string, isTrue: boolean, detail?: string): Finding => ({
  field,
  verdict: isTrue ? 'true' : 'false',
  ...(detail === undefined || isTrue ? {} : { detail }),
})

export const unchecked = (field: string, detail: string): Finding => ({ field, verdict: 'unchecked', detail })

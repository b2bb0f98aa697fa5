/** One statement of a receipt, and whether it is true. */
export interface Finding {
  readonly field: string
  /** `unchecked`: the two files cannot show it, or it could not be measured. */
  readonly verdict: 'true' | 'false' | 'unchecked'
  /** Correct value, or why the statement could not be checked. `undefined` if the verdict is `true`. */
  readonly detail?: string
}

/** Returns a finding. `detail` is kept only if the statement is false. */
export const finding = (field: string, isTrue: boolean, detail?: string): Finding => ({
  field,
  verdict: isTrue ? 'true' : 'false',
  ...(detail === undefined || isTrue ? {} : { detail }),
})

export const unchecked = (field: string, detail: string): Finding => ({ field, verdict: 'unchecked', detail })

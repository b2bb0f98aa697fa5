import { latin1Of } from '../../../bytes/latin1.ts'

/** True if the first 12 bytes are those of an AIFF or AIFF-C file. */
export const isAiffHead = (head: Uint8Array): boolean => /^FORM.{4}AIF[FC]$/s.test(latin1Of(head.subarray(0, 12)))

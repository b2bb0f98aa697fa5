/** Group of a DXF file: a code, which gives the type and the meaning of the value (DXF Reference, "Group Codes"). */
export interface Group {
  readonly code: number
  /** The value as text. Empty for numbers and binary chunks of binary files. */
  readonly value: string
}

/** Longest value in characters. The rest of a longer value is left out. */
export const MAX_VALUE_CHARACTERS = 4096

/** Ids of all outputs that `format` takes; written in by `console/build.ts` from the facts of the formats. */
declare const OUTPUT_IDS: readonly string[]

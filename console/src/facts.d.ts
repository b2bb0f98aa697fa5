/** Ids of all outputs that `format` takes; written in by `scripts/build-console.ts` from the facts of the formats. */
declare const OUTPUT_IDS: readonly string[]

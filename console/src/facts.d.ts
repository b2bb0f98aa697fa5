/** Ids of all values of `format`. `console/build.ts` inserts them from the format catalog. */
declare const OUTPUT_IDS: readonly string[]

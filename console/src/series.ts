/** Pages of a PDF, or pictures of a document, each before and after. */
export interface Series {
  readonly count: number
  /** What is shown, "Page 2 of 7"; from 1. */
  name(number: number): string
  pair(number: number): Promise<readonly [Blob, Blob]>
  /** Of the pair in bytes, where it is not that of the files. */
  sizes?(number: number): readonly [number, number]
  close(): void
}

/** @throws where one of the two cannot be read */
export type OpenSeries = (before: Blob, after: Blob) => Promise<Series>

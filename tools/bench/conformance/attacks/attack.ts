/** What an attack is, and how its figures are judged. */
export interface Figure {
  readonly what: string
  readonly value: number
  readonly unit: string
  /** Largest allowed value. `undefined`: printed only. */
  readonly most?: number
}

export interface Attack {
  readonly name: string
  readonly title: string
  run(): Promise<Figure[]>
}

export const MB = 1_000_000

/** Milliseconds that `work` takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

export const isBroken = ({ value, most }: Figure) => most !== undefined && !(value <= most)

/** Outlines that both Type 1 and Type 2 charstrings can express. Conversion and verification use them. */

export type Step =
  | { kind: 'move'; x: number; y: number }
  | { kind: 'line'; x: number; y: number }
  | { kind: 'curve'; x1: number; y1: number; x2: number; y2: number; x: number; y: number }
  /** The hint group `group` is active from here on. */
  | { kind: 'hints'; group: number }

export interface Stems {
  /** [position, width] of horizontal and vertical stems, in absolute font units. */
  horizontal: [number, number][]
  vertical: [number, number][]
}

export interface Outline {
  width: number
  steps: Step[]
  /** Hint groups, in the order in which they become active. */
  hints: Stems[]
  /** Base and accent of a `seac` composite (standard encoding codes), and the position of the accent. `undefined`: not a composite. */
  accent: { base: number; accent: number; x: number; y: number } | undefined
}

/** A curve by its differences: to the first control point, to the second, to the end. */
export type CurveSteps = [dx1: number, dy1: number, dx2: number, dy2: number, dx3: number, dy3: number]

/** Builds a path from relative moves. A contour begins with the first line or curve after a move. */
export class Pen {
  readonly steps: Step[] = []
  x = 0
  y = 0
  private open = false

  moveBy(dx: number, dy: number): void {
    this.x += dx
    this.y += dy
    this.open = false
  }
  lineBy(dx: number, dy: number): void {
    this.begin()
    this.x += dx
    this.y += dy
    this.steps.push({ kind: 'line', x: this.x, y: this.y })
  }
  curveBy([dx1, dy1, dx2, dy2, dx3, dy3]: CurveSteps): void {
    this.begin()
    const [x1, y1] = [this.x + dx1, this.y + dy1]
    const [x2, y2] = [x1 + dx2, y1 + dy2]
    this.x = x2 + dx3
    this.y = y2 + dy3
    this.steps.push({ kind: 'curve', x1, y1, x2, y2, x: this.x, y: this.y })
  }
  close(): void {
    this.open = false
  }

  private begin(): void {
    if (!this.open) this.steps.push({ kind: 'move', x: this.x, y: this.y })
    this.open = true
  }
}

const isDrawn = (step: Step) => step.kind !== 'hints'

/** True if two outlines have the same steps and their points differ by at most `tolerance` font units. */
export function sameDrawing(a: readonly Step[], b: readonly Step[], tolerance: number): boolean {
  const [x, y] = [a.filter(isDrawn), b.filter(isDrawn)]
  const near = (p: number, q: number) => Math.abs(p - q) <= tolerance
  return (
    x.length === y.length &&
    x.every((step, i) => {
      const other = y[i]!
      if (step.kind === 'curve' && other.kind === 'curve') {
        const controls = near(step.x1, other.x1) && near(step.y1, other.y1) && near(step.x2, other.x2) && near(step.y2, other.y2)
        return controls && near(step.x, other.x) && near(step.y, other.y)
      }
      const points = (step.kind === 'move' || step.kind === 'line') && step.kind === other.kind
      return points && near(step.x, other.x) && near(step.y, other.y)
    })
  )
}

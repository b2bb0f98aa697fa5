/** Outlines as both kinds of charstrings draw them: the common ground of conversion and proof. */

export type Step =
  | { kind: 'move'; x: number; y: number }
  | { kind: 'line'; x: number; y: number }
  | { kind: 'curve'; x1: number; y1: number; x2: number; y2: number; x: number; y: number }
  /** From here on this group of hints holds. */
  | { kind: 'hints'; group: number }

export interface Stems {
  /** [position, width] of horizontal and vertical stems, absolute. */
  horizontal: [number, number][]
  vertical: [number, number][]
}

export interface Outline {
  width: number
  steps: Step[]
  /** Groups of hints, in the order in which they take over from each other. */
  hints: Stems[]
  /** Base and accent (standard codes) of a composite, and where the accent goes. */
  accent: { base: number; accent: number; x: number; y: number } | undefined
}

/** A curve by its steps: to the first control point, from there to the second, from there to the end. */
export type CurveSteps = [dx1: number, dy1: number, dx2: number, dy2: number, dx3: number, dy3: number]

/** A path that is built point by point; a contour begins when something is drawn. */
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

/** Whether two outlines draw the same within `tolerance` units. */
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

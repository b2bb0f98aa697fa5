/** Returns the slope of the least-squares line through the points. `undefined`: all points have the same x. */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): number | undefined {
  const mean = (at: 0 | 1) => points.reduce((sum, point) => sum + point[at], 0) / points.length
  const [middleX, middleY] = [mean(0), mean(1)]
  const across = points.reduce((sum, [x]) => sum + (x - middleX) ** 2, 0)
  return across > 0 ? points.reduce((sum, [x, y]) => sum + (x - middleX) * (y - middleY), 0) / across : undefined
}

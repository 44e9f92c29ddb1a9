/** The few statistics that measuring needs. */

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** The exponent e of y ~ x^e: the slope of the straight line that fits best on logarithmic axes. */
export function growth(points: readonly (readonly [number, number])[]): number {
  const logs = points.map(([x, y]) => [Math.log(x), Math.log(y)] as const)
  const middleX = logs.reduce((sum, [x]) => sum + x, 0) / logs.length
  const middleY = logs.reduce((sum, [, y]) => sum + y, 0) / logs.length
  const along = logs.reduce((sum, [x, y]) => sum + (x - middleX) * (y - middleY), 0)
  return along / logs.reduce((sum, [x]) => sum + (x - middleX) ** 2, 0)
}

/** Two or three digits, whatever the size. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return "–"
  if (value >= 100) return Math.round(value).toLocaleString("en-US")
  return value >= 10 ? value.toFixed(1) : value.toFixed(2)
}

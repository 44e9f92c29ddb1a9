/** Sizes and durations as people say them. */

/** "0 bytes", "12.3 KB". */
export function sizeWords(bytes: number): string {
  if (bytes < 1000) return `${bytes} byte${bytes === 1 ? "" : "s"}`
  const [unit, size] = bytes < 999_500 ? ["KB", 1e3] : bytes < 999_500_000 ? ["MB", 1e6] : ["GB", 1e9]
  const amount = bytes / Number(size)
  return `${amount < 10 ? amount.toFixed(1) : Math.round(amount)} ${unit}`
}

/** "0.4 s", "35 s", "2 min 5 s", "3 h 12 min". */
export function durationWords(ms: number): string {
  const seconds = Math.max(0, ms) / 1000
  if (seconds < 9.95) return `${Number(seconds.toFixed(1))} s`
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`
}

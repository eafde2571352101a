/** Formats a finite float64 as Go's `%v`: with an exponent from a million on and below 0.0001, of two digits at least. */
export const goFloat = (value: number): string => {
  const size = Math.abs(value)
  if (size === 0 || (size >= 1e-4 && size < 1e6)) return String(value)
  return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2")
}

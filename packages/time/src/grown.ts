/** Copies a column of numbers to the start of a larger one, and returns that. */
export const grown = <A extends Float64Array | Int32Array | Uint8Array>(from: A, to: A): A => {
  to.set(from)
  return to
}

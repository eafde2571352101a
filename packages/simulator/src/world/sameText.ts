/**
 * Returns whether two JSON values have the same text, members in the same order included; without writing the texts. The value of the
 * member `except` may differ.
 */
export const sameText = (left: unknown, right: unknown, except?: string): boolean => {
  if (left === right) return true
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false
  if (Array.isArray(left) !== Array.isArray(right)) return false
  const names = Object.keys(left)
  const others = Object.keys(right)
  if (names.length !== others.length) return false
  return names.every(
    (name, index) =>
      name === others[index] &&
      (name === except || sameText((left as Record<string, unknown>)[name], (right as Record<string, unknown>)[name]))
  )
}

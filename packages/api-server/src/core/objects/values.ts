/** A value of JSON that has fields. */
export type Fields = Readonly<Record<string, unknown>>

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Whether two JSON values are equal. What they share by reference costs nothing to compare. */
export const sameValue = (left: unknown, right: unknown): boolean => {
  if (left === right) return true
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false
    for (let index = 0; index < left.length; index++) if (!sameValue(left[index], right[index])) return false
    return true
  }
  if (Array.isArray(right)) return false
  return sameEntries(left as Fields, right as Fields)
}

const sameEntries = (left: Fields, right: Fields): boolean => {
  const keys = Object.keys(left)
  if (keys.length !== Object.keys(right).length) return false
  for (const key of keys) {
    const value = right[key]
    if (value === undefined && !Object.hasOwn(right, key)) return false
    if (left[key] !== value && !sameValue(left[key], value)) return false
  }
  return true
}

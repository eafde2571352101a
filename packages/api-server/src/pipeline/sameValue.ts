const { hasOwn } = Object

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

type Fields = Readonly<Record<string, unknown>>

const sameEntries = (left: Fields, right: Fields): boolean => {
  let extra = 0
  for (const key in left) {
    if (!hasOwn(right, key) || !sameValue(left[key], right[key])) return false
    extra++
  }
  for (const _ in right) extra--
  return extra === 0
}

/**
 * Whether two objects have the same fields with the same values. Values are compared with ===, so lists count as equal
 * only if they are the same list.
 */
export const sameFields = (left: object, right: object): boolean => {
  const values = new Map<string, unknown>(Object.entries(left))
  const others = Object.entries(right)
  return values.size === others.length && others.every(([key, value]) => values.has(key) && values.get(key) === value)
}

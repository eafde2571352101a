/** Whether two flat objects have equal values. */
export const sameFields = (left: object, right: object): boolean => {
  const values = new Map<string, unknown>(Object.entries(left))
  const others = Object.entries(right)
  return values.size === others.length && others.every(([key, value]) => values.has(key) && values.get(key) === value)
}

type Fields = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const same = (left: unknown, right: unknown): boolean => {
  if (left === right) return true
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => same(item, right[index]))
  }
  if (!isRecord(left) || !isRecord(right)) return false
  const keys = Object.keys(left)
  return keys.length === Object.keys(right).length && keys.every((key) => same(left[key], right[key]))
}

/**
 * What a merge patch must say to make `after` of `before`; undefined when nothing. Lists are replaced whole: fields whose lists
 * merge in a strategic patch are the caller's.
 */
export const mergeDiff = (before: Fields, after: Fields): Fields | undefined => {
  if (before === after) return undefined
  let out: Record<string, unknown> | undefined
  const put = (key: string, value: unknown) => {
    out ??= {}
    out[key] = value
  }
  for (const key in after) {
    const old = before[key]
    const now = after[key]
    if (old === now || now === undefined) continue
    if (isRecord(old) && isRecord(now)) {
      const inner = mergeDiff(old, now)
      if (inner !== undefined) put(key, inner)
    } else if (!same(old, now)) put(key, now)
  }
  for (const key in before) if (before[key] !== undefined && after[key] === undefined) put(key, null)
  return out
}

/** The items of a list keyed by `type` that differ, as a strategic merge patch wants them. Nothing is ever removed. */
export const conditionsDiff = <A extends { readonly type: string }>(
  before: ReadonlyArray<A> = [],
  after: ReadonlyArray<A> = []
): ReadonlyArray<Fields> => {
  if (before === after) return []
  const changed: Array<Fields> = []
  for (const item of after) {
    const old = before.find(({ type }) => type === item.type)
    const fields: Fields = { ...item }
    if (old === undefined) changed.push(fields)
    else if (old !== item) {
      const inner = mergeDiff({ ...old }, fields)
      if (inner !== undefined) changed.push({ type: item.type, ...inner })
    }
  }
  return changed
}

/** A list with a merge key, replaced whole all the same. */
export const replacedList = (items: ReadonlyArray<unknown> = []): ReadonlyArray<unknown> => [
  { $patch: "replace" },
  ...items
]

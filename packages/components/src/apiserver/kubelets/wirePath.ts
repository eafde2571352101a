/** What Go leaves as it is in a path besides what `encodeURIComponent` does. Upstream: net/url, shouldEscape. */
const KEPT = /%(?:24|26|2B|2C|3A|3B|3D|40)/g

const segment = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replaceAll(KEPT, (escaped) => decodeURIComponent(escaped))

/** Returns a path and a query as they are sent: whatever they hold, they stay within the request's first line. */
export const wirePath = (path: string, query: ReadonlyMap<string, ReadonlyArray<string>>): string => {
  const values = new URLSearchParams()
  for (const [name, all] of query) for (const value of all) values.append(name, value)
  const escaped = path.split("/").map(segment).join("/")
  return values.size === 0 ? escaped : `${escaped}?${values}`
}

const decoded = (path: string): string => {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** Returns a path as Go's path.Join cleans it. */
const cleaned = (path: string): string => {
  const parts: Array<string> = []
  for (const part of path.split("/")) {
    if (part === "..") parts.pop()
    else if (part !== "" && part !== ".") parts.push(part)
  }
  return `/${parts.join("/")}`
}

/** Returns a path as Go writes it in a URL, which escapes fewer characters than most, but these. */
const escaped = (path: string): string =>
  encodeURI(path).replace(/[?#!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

/**
 * Returns the URL of a webhook as client-go requests it: its REST client takes the decoded path, cleans it and escapes it anew.
 * Upstream: client-go/rest/request.go URL.
 */
export const goUrl = (url: string): string => {
  const [, host = url, path = ""] = /^([^:]+:\/\/[^/?#]*)([^?#]*)/.exec(url) ?? []
  return `${host}${escaped(cleaned(decoded(path)))}`
}

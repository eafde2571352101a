/*
 * Splits URLs as Go's net/url does, and says what is wrong with one.
 */

/** The parts of a URL, as written. */
export interface UrlParts {
  readonly scheme: string
  /** The rest after the scheme, if it is not a path. */
  readonly opaque: string
  /** User information, host and port. */
  readonly authority: string
  readonly hasAuthority: boolean
  readonly path: string
  readonly rawQuery: string
  readonly forceQuery: boolean
}

/** Splits a text at the first separator; the second part is undefined without one. */
export const cutText = (text: string, separator: string): readonly [string, string | undefined] => {
  const at = text.indexOf(separator)
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}

/** Returns the scheme and the rest, or the error of a missing scheme. Upstream: getScheme. */
const schemeOf = (text: string): readonly [string, string] | string => {
  const [, scheme, rest = ""] = /^([a-zA-Z][a-zA-Z0-9+.-]*):(.*)$/s.exec(text) ?? []
  if (scheme !== undefined) return [scheme.toLowerCase(), rest]
  return text.startsWith(":") ? "missing protocol scheme" : ["", text]
}

/** Returns the first invalid escape, as upstream's unescape reports it. */
export const badUrlEscape = (text: string): string | undefined => {
  const [found] = /%(?![0-9a-fA-F]{2})[\s\S]{0,2}/.exec(text) ?? []
  return found === undefined ? undefined : `invalid URL escape ${JSON.stringify(found)}`
}

/** Returns the error of an invalid host. Upstream: parseHost, and unescape in its mode for hosts. */
const hostProblem = (host: string): string | undefined => {
  const end = host.startsWith("[") ? host.lastIndexOf("]") : -1
  if (host.startsWith("[") && end < 0) return "missing ']' in host"
  const colon = host.lastIndexOf(":")
  const port = end >= 0 ? host.slice(end + 1) : colon < 0 ? "" : host.slice(colon)
  if (!/^(?::\d*)?$/.test(port)) return `invalid port ${JSON.stringify(port)} after host`
  const wrong = badUrlEscape(host) ?? badHostEscape(host)
  if (wrong !== undefined) return wrong
  const [character] = /[^\u0080-\uffffA-Za-z0-9!$&'()*+,;=:[\]<>"\-_.~%]/.exec(host) ?? []
  return character === undefined ? undefined : `invalid character ${JSON.stringify(character)} in host name`
}

/**
 * Returns the first escape that a host may not have: only non-ASCII bytes and the percent sign of a zone are escaped.
 */
const badHostEscape = (host: string): string | undefined => {
  const [found] = /%(?!25)[0-7][0-9a-fA-F]/.exec(host) ?? []
  return found === undefined ? undefined : `invalid URL escape ${JSON.stringify(found)}`
}

const authorityProblem = (authority: string): string | undefined => {
  const at = authority.lastIndexOf("@")
  const problem = hostProblem(authority.slice(at + 1))
  if (problem !== undefined || at < 0) return problem
  const user = authority.slice(0, at)
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user)) return "net/url: invalid userinfo"
  return badUrlEscape(user)
}

const splitAuthority = (text: string): readonly [string, string] => {
  const slash = text.indexOf("/")
  return slash < 0 ? [text, ""] : [text.slice(0, slash), text.slice(slash)]
}

/** Returns the parts of a URL without a fragment, or what is wrong with it. With `isRequest` as in a request line. */
export const splitUrl = (text: string, isRequest: boolean): UrlParts | string => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused
  if (/[\u0000-\u001f\u007f]/.test(text)) return "net/url: invalid control character in URL"
  if (text === "" && isRequest) return "empty url"
  const found = schemeOf(text)
  if (typeof found === "string") return found
  const [scheme, after] = found
  const forceQuery = after.indexOf("?") === after.length - 1 && after !== ""
  const [path, rawQuery = ""] = cutText(after, "?")
  const none = { scheme, opaque: "", authority: "", hasAuthority: false, path: "", rawQuery, forceQuery }
  if (text === "*") return { ...none, path: "*" }
  if (!path.startsWith("/")) {
    if (scheme !== "") return { ...none, opaque: path }
    if (isRequest) return "invalid URI for request"
    if (cutText(path, "/")[0].includes(":")) return "first path segment in URL cannot contain colon"
  }
  const hasAuthority = path.startsWith("//") && (scheme !== "" || (!isRequest && !path.startsWith("///")))
  const [authority, own] = hasAuthority ? splitAuthority(path.slice(2)) : ["", path]
  return authorityProblem(authority) ?? badUrlEscape(own) ?? { ...none, authority, hasAuthority, path: own }
}

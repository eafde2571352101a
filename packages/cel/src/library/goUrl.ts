/** A URL as parsed by Go's net/url. */
export interface GoUrl {
  readonly scheme: string
  /** The rest after the scheme, if it is not a path. */
  readonly opaque: string
  /** `name[:password]@`, as written. */
  readonly user: string
  /** Including the port. */
  readonly host: string
  readonly hasAuthority: boolean
  /** As written, or escaped where that is invalid. */
  readonly escapedPath: string
  readonly rawQuery: string
  readonly forceQuery: boolean
  readonly fragment: string
}

/** Thrown for a text that is not a URL, with Go's message. */
export class UrlFault extends Error {}

const fault = (text: string, what: string): UrlFault => new UrlFault(`parse ${JSON.stringify(text)}: ${what}`)

/** Splits a text at the first separator; the second part is undefined without one. */
const cut = (text: string, separator: string): readonly [string, string | undefined] => {
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
const badEscape = (text: string): string | undefined => {
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
  const wrong = badEscape(host) ?? badHostEscape(host)
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
  return badEscape(user)
}

const unescaped = (text: string): Buffer => {
  const bytes = Buffer.from(text)
  const made: Array<number> = []
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === 0x25) {
      made.push(Number.parseInt(bytes.toString("latin1", at + 1, at + 3), 16))
      at += 2
    } else made.push(bytes[at] ?? 0)
  }
  return Buffer.from(made)
}

/** Returns a path with valid escapes. Upstream: EscapedPath. */
const escapedPathOf = (path: string): string => {
  if (/^[A-Za-z0-9\-_.~$&+,/:;=@!'()*[\]%]*$/.test(path)) return path
  const escaped = (byte: number): string => {
    const character = String.fromCharCode(byte)
    return /[A-Za-z0-9\-_.~$&+,/:;=@]/.test(character)
      ? character
      : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`
  }
  return Array.from(unescaped(path), escaped).join("")
}

/** Parses a URL; errors show `shown`. With `isRequest` as in a request line. */
const parse = (text: string, shown: string, isRequest: boolean): GoUrl => {
  const fail = (what: string) => fault(shown, what)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused
  if (/[\u0000-\u001f\u007f]/.test(text)) throw fail("net/url: invalid control character in URL")
  if (text === "" && isRequest) throw fail("empty url")
  const found = schemeOf(text)
  if (typeof found === "string") throw fail(found)
  const [scheme, after] = found
  const forceQuery = after.indexOf("?") === after.length - 1 && after !== ""
  const [path, rawQuery = ""] = cut(after, "?")
  const none = {
    scheme,
    opaque: "",
    user: "",
    host: "",
    hasAuthority: false,
    escapedPath: "",
    rawQuery,
    forceQuery,
    fragment: ""
  }
  if (text === "*") return { ...none, escapedPath: "*" }
  if (!path.startsWith("/")) {
    if (scheme !== "") return { ...none, opaque: path }
    if (isRequest) throw fail("invalid URI for request")
    if (cut(path, "/")[0].includes(":")) throw fail("first path segment in URL cannot contain colon")
  }
  const hasAuthority = path.startsWith("//") && (scheme !== "" || (!isRequest && !path.startsWith("///")))
  const [authority, own] = hasAuthority ? splitAuthority(path.slice(2)) : ["", path]
  const problem = authorityProblem(authority) ?? badEscape(own)
  if (problem !== undefined) throw fail(problem)
  const at = authority.lastIndexOf("@")
  return {
    ...none,
    user: authority.slice(0, at + 1),
    host: decodedHost(authority.slice(at + 1)),
    hasAuthority,
    escapedPath: escapedPathOf(own)
  }
}

const splitAuthority = (text: string): readonly [string, string] => {
  const slash = text.indexOf("/")
  return slash < 0 ? [text, ""] : [text.slice(0, slash), text.slice(slash)]
}

const decodedHost = (host: string): string => (host.includes("%") ? unescaped(host).toString("utf8") : host)

/** Parses the URL of a request, which is absolute or an absolute path. Upstream: ParseRequestURI. Throws `UrlFault`. */
export const parseRequestUri = (text: string): GoUrl => parse(text, text, true)

/** Parses a URL with its fragment. Upstream: Parse. Throws `UrlFault`. */
export const parseUrl = (text: string): GoUrl => {
  const [before, fragment = ""] = cut(text, "#")
  const url = parse(before, before, false)
  const problem = badEscape(fragment)
  if (problem !== undefined) throw fault(text, problem)
  return { ...url, fragment }
}

export const hostnameOf = ({ host }: GoUrl): string => {
  const [, bracketed] = /^\[(.*)\](?::\d*)?$/s.exec(host) ?? []
  return bracketed ?? host.replace(/:\d*$/, "")
}

export const portOf = ({ host }: GoUrl): string => /(?:^[^[\]]*|\]):(\d*)$/.exec(host)?.[1] ?? ""

/** Returns the query values by name; malformed parts are skipped. Upstream: ParseQuery. */
export const queryOf = ({ rawQuery }: GoUrl): ReadonlyMap<string, ReadonlyArray<string>> => {
  const found = new Map<string, Array<string>>()
  for (const part of rawQuery.split("&")) {
    if (part === "" || part.includes(";") || badEscape(part) !== undefined) continue
    const [name, value] = cut(part, "=").map((text = "") => unescaped(text.replaceAll("+", " ")).toString("utf8"))
    const known = found.get(name ?? "")
    if (known === undefined) found.set(name ?? "", [value ?? ""])
    else known.push(value ?? "")
  }
  return found
}

/** Returns a text that is equal for URLs that Go prints equally. */
export const urlKey = (url: GoUrl): string => {
  const { escapedPath, forceQuery, fragment, hasAuthority, host, opaque, rawQuery, scheme, user } = url
  const query = forceQuery || rawQuery !== "" ? `?${rawQuery}` : ""
  const end = fragment === "" ? "" : `#${fragment}`
  const start = scheme === "" ? "" : `${scheme}:`
  if (opaque !== "") return `${start}${opaque}${query}${end}`
  return `${start}${hasAuthority ? `//${user}${host}` : ""}${escapedPath}${query}${end}`
}

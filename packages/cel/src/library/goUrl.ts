import { badUrlEscape, cutText, splitUrl } from "@rollcall/api/validation"
import { Buffer, type Bytes } from "../runtime.ts"

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

const unescaped = (text: string): Bytes => {
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
  const parts = splitUrl(text, isRequest)
  if (typeof parts === "string") throw fault(shown, parts)
  const { authority, path, ...others } = parts
  const at = authority.lastIndexOf("@")
  return {
    ...others,
    user: authority.slice(0, at + 1),
    host: decodedHost(authority.slice(at + 1)),
    escapedPath: escapedPathOf(path),
    fragment: ""
  }
}

const decodedHost = (host: string): string => (host.includes("%") ? unescaped(host).toString("utf8") : host)

/** Parses the URL of a request, which is absolute or an absolute path. Upstream: ParseRequestURI. Throws `UrlFault`. */
export const parseRequestUri = (text: string): GoUrl => parse(text, text, true)

/** Parses a URL with its fragment. Upstream: Parse. Throws `UrlFault`. */
export const parseUrl = (text: string): GoUrl => {
  const [before, fragment = ""] = cutText(text, "#")
  const url = parse(before, before, false)
  const problem = badUrlEscape(fragment)
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
    if (part === "" || part.includes(";") || badUrlEscape(part) !== undefined) continue
    const [name, value] = cutText(part, "=").map((text = "") => unescaped(text.replaceAll("+", " ")).toString("utf8"))
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

/** A request of a call: the first one, or one that an answer redirects to. */
export interface Hop {
  readonly method: "GET" | "POST"
  readonly url: URL
  /** The number of requests before it. */
  readonly earlier: number
  readonly headers: { readonly referer?: string }
}

const MAX_REDIRECTS = 10

/** The codes that redirect, and whether the next request repeats the method and the body. */
const repeats: ReadonlyMap<number, boolean> = new Map([
  [301, false],
  [302, false],
  [303, false],
  [307, true],
  [308, true]
])

/** Why a call cannot follow a redirection, and the URL that the error names, if it is not that of the last request. */
export interface Astray {
  readonly fault: string
  readonly place?: string
}

/**
 * Returns the request that an answer redirects to, or why there can be none; undefined if the answer is the last one.
 * Upstream: Go's net/http, Client.Do.
 */
export const redirection = ({ earlier, method, url }: Hop, code: number, location = ""): Hop | Astray | undefined => {
  const isRepeated = repeats.get(code)
  if (isRepeated === undefined || location === "") return undefined
  if (!URL.canParse(location, url.href)) return { fault: `failed to parse Location header ${JSON.stringify(location)}` }
  if (earlier + 1 >= MAX_REDIRECTS) return { fault: `stopped after ${MAX_REDIRECTS} redirects`, place: location }
  const next = new URL(location, url)
  const referer = url.protocol === next.protocol || url.protocol === "http:" ? { referer: url.href } : {}
  return { method: isRepeated ? method : "GET", url: next, earlier: earlier + 1, headers: referer }
}

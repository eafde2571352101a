import { STRING_FACTOR, timesFactor } from "../estimateSizes.ts"
import type { CelFunction } from "../operators.ts"
import { listOf, mapOf, objectOf, STRING } from "../types.ts"
import { CelError, EntryMap, Extension, ItemList, type Key, type Value } from "../values.ts"
import { type GoUrl, hostnameOf, parseRequestUri, parseUrl, portOf, queryOf, UrlFault, urlKey } from "./goUrl.ts"
import { type Library, parsing } from "./Library.ts"

const NAME = "kubernetes.URL"

class Url extends Extension {
  readonly typeName = NAME
  readonly url: GoUrl
  constructor(url: GoUrl) {
    super()
    this.url = url
  }
  get key(): string {
    return urlKey(this.url)
  }
}

/** Returns Go's message for a text that is not a URL; undefined if it is one. */
export const uriProblem = (text: string): string | undefined => {
  try {
    parseRequestUri(text)
    return undefined
  } catch (error) {
    if (!(error instanceof UrlFault)) throw error
    return error.message
  }
}

/**
 * Parses a text as in a request, and again as a URL: only the second parse recognizes a fragment. Upstream: urls.go,
 * stringToUrl.
 */
const readUrl = (text: string): Url | CelError => {
  const problem = uriProblem(text)
  if (problem !== undefined) return new CelError(`URL parse error during conversion from string: ${problem}`)
  try {
    return new Url(parseUrl(text))
  } catch (error) {
    if (!(error instanceof UrlFault)) throw error
    return new CelError(`URL parse error during conversion from string: ${error.message}`)
  }
}

const ofText =
  (act: (text: string) => Value): CelFunction =>
  ([text], meter) => {
    if (typeof text !== "string") return undefined
    meter.make(8 * text.length)
    return act(text)
  }

const ofUrl =
  (act: (url: GoUrl) => Value): CelFunction =>
  ([url], meter) => {
    if (!(url instanceof Url)) return undefined
    meter.make(4 * (url.url.rawQuery.length + url.url.host.length))
    return act(url.url)
  }

const query = (url: GoUrl): Value =>
  new EntryMap(new Map<Key, Value>([...queryOf(url)].map(([name, values]) => [name, new ItemList([...values])])))

/** The functions of URLs. Upstream: apiserver/pkg/cel/library/urls.go. */
export const urlLibrary: Library = {
  types: { url: { ...objectOf(new Map(), 0), name: NAME }, "{string:[string]}": mapOf(STRING, listOf(STRING)) },
  typeNames: [],
  overloads: [
    "url string -> url = string_to_url",
    ".getScheme url -> string = url_get_scheme",
    ".getHost url -> string = url_get_host",
    ".getHostname url -> string = url_get_hostname",
    ".getPort url -> string = url_get_port",
    ".getEscapedPath url -> string = url_get_escaped_path",
    ".getQuery url -> {string:[string]} = url_get_query",
    "isURL string -> bool = is_url_string"
  ],
  functions: {
    getEscapedPath: ofUrl(({ escapedPath }) => escapedPath),
    getHost: ofUrl(({ host }) => host),
    getHostname: ofUrl(hostnameOf),
    getPort: ofUrl(portOf),
    getQuery: ofUrl(query),
    getScheme: ofUrl(({ scheme }) => scheme),
    isURL: ofText((text) => uriProblem(text) === undefined),
    url: ofText(readUrl)
  },
  costs: { url: parsing },
  estimates: {
    url: (_, [text]) => {
      if (text === undefined) return undefined
      const size = text.sizeByPath()
      return { cost: timesFactor(size, STRING_FACTOR), size }
    }
  },
  equality: {
    // As upstream: by the right side only.
    [NAME]: (_, [, right]) => right && { cost: timesFactor({ min: 1, max: right.size().max }, STRING_FACTOR) }
  }
}

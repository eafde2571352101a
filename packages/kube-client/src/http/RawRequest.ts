/** A raw HTTP request, for whatever the Cluster port does not model: Tables, text, other paths. */
export interface RawRequest {
  readonly method: string
  /** The path below the server's URL, starting with `/`; may include a query. */
  readonly path: string
  /** Added to the path's own query. A list repeats the parameter. */
  readonly query?: Readonly<Record<string, string | ReadonlyArray<string>>>
  /** Header names in lower case; a list is sent as repeated headers. */
  readonly headers?: Headers
  readonly body?: string | Uint8Array
  /** The timeout of the whole response in milliseconds; 0 means no timeout. */
  readonly timeoutMs?: number
}

export type Headers = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** A response, whatever its status code. */
export interface RawAnswer {
  readonly code: number
  /** Header names in lower case. */
  readonly headers: Headers
  readonly body: string
}

/** Returns the path with the separate query appended. */
export const fullPath = ({ path, query }: RawRequest): string => {
  if (query === undefined) return path
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const one of typeof value === "string" ? [value] : value) given.append(name, one)
  }
  const text = given.toString()
  if (text === "") return path
  return `${path}${path.includes("?") ? "&" : "?"}${text}`
}

/** Returns the value of a header, or the first of several. */
export const headerOf = (headers: Headers, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === "string" ? value : value?.[0]
}

/** A request as it goes on the wire, for what the Cluster port does not model: Tables, text, paths of its own. */
export interface RawRequest {
  readonly method: string
  /** Below the server's URL, from its `/`; may hold a query. */
  readonly path: string
  /** Added to the path's own query. A list repeats the name. */
  readonly query?: Readonly<Record<string, string | ReadonlyArray<string>>>
  /** Names in lower case; a list is sent as so many headers of the name. */
  readonly headers?: Headers
  readonly body?: string | Uint8Array
  /** How long to wait for the whole answer; 0: without end. */
  readonly timeoutMs?: number
}

export type Headers = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** An answer as it came, whatever its code. */
export interface RawAnswer {
  readonly code: number
  /** Names in lower case. */
  readonly headers: Headers
  readonly body: string
}

/** The path with the query that was given apart. */
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

export const headerOf = (headers: Headers, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === "string" ? value : value?.[0]
}

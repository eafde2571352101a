import { unstructuredResponse } from "@rollcall/api"
import * as Effect from "effect/Effect"

/** The answer of an API server to a GET. */
export interface ApiAnswer {
  readonly code: number
  readonly body: string
}

/** Reads a path of an API server, a query included. Fails if no answer arrived. */
export type ReadApi = (path: string) => Effect.Effect<ApiAnswer, { readonly message: string }>

/** The resource that a request names, for errors: `pods.metrics.k8s.io`, and the name of the object. */
export interface Asked {
  readonly resource: string
  readonly name?: string
}

const parse = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** The text of an error answer, as client-go has it: the Status that it holds, or one for its code. */
const refusalText = ({ body, code }: ApiAnswer, { name, resource }: Asked): string => {
  const status = parse(body) as { readonly kind?: unknown; readonly message?: unknown } | undefined
  if (status?.kind === "Status" && typeof status.message === "string") return status.message
  return `${unstructuredResponse(code, body).message} (get ${resource}${name === undefined ? "" : ` ${name}`})`
}

/** Reads a JSON object of an API server; fails with the text of client-go's error. */
export const readObject = <A extends object>(read: ReadApi, path: string, asked: Asked): Effect.Effect<A, string> =>
  read(path).pipe(
    Effect.mapError(({ message }) => message),
    Effect.flatMap((answer) => {
      if (answer.code < 200 || answer.code > 206) return Effect.fail(refusalText(answer, asked))
      const value = parse(answer.body)
      return typeof value === "object" && value !== null
        ? Effect.succeed(value as A)
        : Effect.fail(`GET ${path}: the response is not a JSON object`)
    })
  )

/** Forms a path of segments, and a query without its empty parameters, in the order of their names. */
export const pathOf = (segments: ReadonlyArray<string>, query: Readonly<Record<string, string>>): string => {
  const path = `/${segments.map((segment) => encodeURIComponent(segment)).join("/")}`
  const given = Object.entries(query)
    .filter(([, value]) => value !== "")
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return given.length === 0 ? path : `${path}?${given.join("&")}`
}

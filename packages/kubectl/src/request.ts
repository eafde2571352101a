import { type KubeObject, type Status, unstructuredResponse } from "@rollcall/api"
import { ApiError, type ClusterError, ConnectionError } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import type { Host, RawAnswer, RawRequest } from "./Host.ts"

/** The Accept header: a Table if the server supports it. */
export const TABLE_ACCEPT =
  "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json"

const isStatus = (body: unknown): body is Status =>
  typeof body === "object" && body !== null && "kind" in body && body.kind === "Status"

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the error of a response: the server's Status, or one for its code. */
const responseError = ({ body, code }: RawAnswer): ApiError => {
  const given = parseJson(body)
  if (isStatus(given)) return new ApiError({ status: { ...given, code: given.code ?? code } })
  const status = unstructuredResponse(code, body)
  return new ApiError({ status: { ...status, reason: status.reason ?? "Unknown" } })
}

const printWarnings = (host: Host, { headers }: RawAnswer): void => {
  const given = headers.warning ?? []
  for (const header of typeof given === "string" ? [given] : given) {
    for (const [, warning = ""] of header.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)) {
      host.stderr(`Warning: ${warning.replace(/\\(.)/g, "$1")}\n`)
    }
  }
}

/** Sends a request; prints the server's warnings to stderr. */
export const call = (host: Host, request: RawRequest): Effect.Effect<unknown, ClusterError> =>
  host.api.raw(request).pipe(
    Effect.flatMap((answer): Effect.Effect<unknown, ClusterError> => {
      printWarnings(host, answer)
      if (answer.code >= 400) return Effect.fail(responseError(answer))
      const body = parseJson(answer.body)
      return body === undefined
        ? Effect.fail(new ConnectionError({ message: `the response to ${request.path} is not JSON` }))
        : Effect.succeed(body)
    })
  )

/** Sends a request whose response is an object. */
export const callObject = (host: Host, request: RawRequest): Effect.Effect<KubeObject, ClusterError> =>
  Effect.map(call(host, request), (body) => body as KubeObject)

const patchTypes = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml"
} as const

export interface WriteQuery {
  readonly dryRun?: boolean
  readonly fieldManager?: string
  readonly force?: boolean
  readonly fieldValidation?: string
}

const queryOf = ({ dryRun, fieldManager, fieldValidation, force }: WriteQuery): Record<string, string> => ({
  ...(dryRun ? { dryRun: "All" } : {}),
  ...(fieldManager === undefined ? {} : { fieldManager }),
  ...(fieldValidation === undefined ? {} : { fieldValidation }),
  ...(force === undefined ? {} : { force: String(force) })
})

export const patchObject = (
  host: Host,
  path: string,
  type: keyof typeof patchTypes,
  body: unknown,
  query: WriteQuery = {}
): Effect.Effect<KubeObject, ClusterError> =>
  callObject(host, {
    method: "PATCH",
    path,
    query: queryOf(query),
    headers: { "content-type": patchTypes[type], accept: "application/json" },
    body: JSON.stringify(body)
  })

/** Sends a JSON body with POST, PUT or DELETE. */
export const sendObject = (
  host: Host,
  method: "POST" | "PUT" | "DELETE",
  path: string,
  body: unknown,
  query: WriteQuery = {}
): Effect.Effect<KubeObject, ClusterError> =>
  callObject(host, {
    method,
    path,
    query: queryOf(query),
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify(body)
  })

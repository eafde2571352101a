import { badRequest, goQuote } from "@rollcall/api"
import { sameValue } from "@rollcall/api/values"
import * as Result from "effect/Result"
import type { ConnectedSubresource, ConnectionOptions } from "../../core/admission/Admission.ts"
import type { KindState } from "../../core/registry/KindState.ts"
import type { Call } from "../call/Call.ts"
import { sendStatus } from "../call/respond.ts"
import { InvalidParameter, Query } from "../request/Query.ts"
import type { Subroute } from "../request/Routes.ts"
import type { ResourceContext } from "./passToServer.ts"

/*
 * The options and the admission of connections. Upstream: apiserver/pkg/endpoints/handlers/rest.go, ConnectResource;
 * pkg/apis/core/v1, the conversions of url.Values.
 */

const MAX_PORT = 65_535

/** Returns the ports of a query, each parameter of which may list several. Upstream: Convert_Slice_string_To_Slice_int32. */
const portsOf = (query: Query): ReadonlyArray<number> =>
  query.all("ports").flatMap((list) =>
    list.split(",").map((text) => {
      const isNumber = /^\d+$/.test(text)
      if (isNumber && Number(text) <= MAX_PORT) return Number(text)
      const why = `${goQuote(text)}: ${isNumber ? "value out of range" : "invalid syntax"}`
      throw new InvalidParameter(badRequest(`cannot convert to []int32: strconv.ParseUint: parsing ${why}`))
    })
  )

const flags = ["stdin", "stdout", "stderr", "tty"] as const

const streamOptions = (query: Query) => {
  const container = query.text("container") ?? ""
  const given = flags.filter((name) => query.flag(name) === true)
  return { ...Object.fromEntries(given.map((name) => [name, true])), ...(container === "" ? {} : { container }) }
}

/** The number of segments in `/api/v1/nodes/{name}/proxy` and, with a namespace, in the paths of others. */
const SEGMENTS = 5
const NAMESPACED_SEGMENTS = 7

/** Returns what follows `proxy` in a path. */
const restOfPath = ({ info: { namespace, path } }: Call): string => {
  const start = (namespace === "" ? SEGMENTS : NAMESPACED_SEGMENTS) + 1
  const rest = path.split("/").slice(start).join("/")
  if (rest.startsWith("/") || (rest === "" && !path.endsWith("/"))) return rest
  return `/${rest}`
}

/** Returns the fields of options as Go writes them. */
const fieldsOf = (call: Call, subresource: ConnectedSubresource): object => {
  const { query } = call
  switch (subresource) {
    case "attach":
      return streamOptions(query)
    case "exec": {
      const command = query.all("command")
      return { ...streamOptions(query), command: command.length === 0 ? null : command }
    }
    case "portforward": {
      const ports = portsOf(query)
      return ports.length === 0 ? {} : { ports }
    }
    case "proxy": {
      const path = restOfPath(call)
      return path === "" ? {} : { path }
    }
  }
}

/** Returns the query that says what options say. */
const queryOf = ({ apiVersion: _version, kind: _kind, ...fields }: ConnectionOptions): Query => {
  const values = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) {
    const all: ReadonlyArray<unknown> = Array.isArray(value) ? value : [value]
    for (const each of all) if (each !== null) values.append(name, String(each))
  }
  return new Query(values.toString())
}

/**
 * Reads the options of a connection and admits it, before anything is looked up. `connect` receives the path for a proxy; the
 * options of a stream that admission has changed replace the query of the call.
 */
export const admitConnection = (
  { server }: ResourceContext,
  call: Call,
  { definition }: KindState,
  { kind, name }: Subroute,
  connect: (path: string) => void
): void => {
  const { identity, info, query } = call
  if (query.all("dryRun").length > 0) {
    sendStatus(call, badRequest("dryRun is not supported"))
    return
  }
  const subresource = name as ConnectedSubresource
  const options: ConnectionOptions = { kind: kind.kind, apiVersion: kind.version, ...fieldsOf(call, subresource) }
  const namespace = definition.resource.namespaced ? info.namespace : ""
  const connection = { kind: definition.key, subresource, namespace, name: info.name, options }
  server.admitConnection(identity, connection, (admitted, warnings) =>
    call.guard(() => {
      if (warnings.length > 0) call.warnings = [...call.warnings, ...warnings]
      if (Result.isFailure(admitted)) return sendStatus(call, admitted.failure)
      const { success } = admitted
      if (subresource !== "proxy" && !sameValue(success, options)) call.query = queryOf(success)
      connect(typeof success.path === "string" ? success.path : "")
    })
  )
}

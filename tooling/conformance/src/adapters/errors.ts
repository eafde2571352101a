import { invalid, kindOfName, resourceOf, type Status } from "@rollcall/api"
import { type FieldErrors, validatePatchOptions, validateWriteOptions } from "@rollcall/api/validation"
import type { PatchType } from "@rollcall/cluster"
import * as Result from "effect/Result"
import type { Adapters, Json } from "../Adapter.ts"
import { withServer } from "../inProcess.ts"

/** Authentication, authorization, routing, negotiation and strict decoding have no counterpart in process. */
const overHttpOnly = (what: string): never => {
  throw new Error(`${what} needs an API server over HTTP`)
}

const resourcePath =
  /^\/(?:api|apis\/[^/]+)\/v1\/(?:namespaces\/([^/]+)\/(?=[^/]))?([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?$/

const addressOf = (path: string): Json => {
  const [, namespace, plural = "", name, subresource] = resourcePath.exec(path) ?? []
  const kind = kindOfName(plural)
  if (kind === undefined || resourceOf(kind).plural !== plural) return overHttpOnly("an unknown path")
  return { kind, ...(namespace && { namespace }), ...(name && { name }), ...(subresource && { subresource }) }
}

const patchTypes: Readonly<Record<string, PatchType>> = {
  "application/json-patch+json": "json",
  "application/merge-patch+json": "merge",
  "application/strategic-merge-patch+json": "strategic"
}

const refusedOptions = (kind: string, errors: FieldErrors): Status | undefined =>
  errors.length === 0 ? undefined : invalid({ group: "meta.k8s.io", kind }, "", errors)

/** The request as the port has it, or the answer to bad options: the port has no place for those. */
const requestOf = ({ as, accept, body, contentType = "application/json", method, path, rawBody }: Json): Json => {
  if (as !== "cluster admin") return overHttpOnly("another user than the administrator")
  if (accept !== undefined) return overHttpOnly("Accept")
  const url = new URL(path, "http://localhost")
  const query: Json = Object.fromEntries(url.searchParams)
  const address = addressOf(url.pathname)
  const named = address.name !== undefined
  if (method === "GET") return { ...query, ...address, verb: named ? "get" : "list" }
  if (named === (method === "POST")) return overHttpOnly(`${method} at this path`)
  if (method === "DELETE") return { ...address, verb: "delete" }

  const { dryRun: _, force, ...others } = query
  const options = { ...others, dryRun: url.searchParams.getAll("dryRun"), ...(force && { force: force === "true" }) }
  const request = { ...address, ...options, dryRun: options.dryRun.includes("All") }
  if (method === "PATCH") {
    const patchType = patchTypes[contentType] ?? overHttpOnly(contentType)
    const refusal = refusedOptions("PatchOptions", validatePatchOptions(options, patchType))
    return refusal ?? { ...request, verb: "patch", patchType, body: body ?? JSON.parse(rawBody) }
  }
  if (body === undefined) return overHttpOnly("a body's own spelling")
  const create = method === "POST"
  const refusal = refusedOptions(create ? "CreateOptions" : "UpdateOptions", validateWriteOptions(options))
  return refusal ?? { ...request, verb: create ? "create" : "update", object: body }
}

const shown = ({ code, details, message, reason, status }: Status): Json => ({
  code,
  status,
  message,
  ...(reason && { reason }),
  ...(details && { details })
})

export const errorAdapters: Adapters = {
  "api/errors": ({ given }) => {
    const request = requestOf(given)
    if (request.kind === "Status") return shown(request)
    return withServer([], (send) => {
      send({ verb: "create", kind: "Node", object: { metadata: { name: "node1" } } })
      const answer = send(request)
      if (Result.isSuccess(answer)) return { code: request.verb === "create" ? 201 : 200 }
      if (answer.failure._tag === "ConnectionError") throw answer.failure
      return shown(answer.failure.status)
    })
  }
}

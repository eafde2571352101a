import { isKindName, type Resource, resourceOf, type Status } from "@rollcall/api"
import { type AnyKind, ApiError, type ClusterError, ConnectionError } from "@rollcall/cluster"
import * as Result from "effect/Result"
import type { Addressed } from "./address.ts"
import { errorOf } from "./answer.ts"
import type { Transport } from "./Transport.ts"

export type FindResult = Result.Result<Addressed, ClusterError>

interface ListedResource {
  readonly name: string
  readonly kind: string
  readonly namespaced: boolean
}

/** Splits `Dial.rollcall.example.com/v1` into kind, group and version. */
const parseKind = (kind: string): Pick<Resource, "group" | "kind" | "version"> | undefined => {
  const match = /^([^.]+)\.([^/]+)\/([^/]+)$/.exec(kind)
  const [, name, group, version] = match ?? []
  return name === undefined || group === undefined || version === undefined ? undefined : { kind: name, group, version }
}

const noMatchError = (kind: string, groupVersion: string): ApiError => {
  const message = `no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(groupVersion)}`
  const status: Status = {
    apiVersion: "v1",
    kind: "Status",
    metadata: {},
    status: "Failure",
    message,
    reason: "NotFound",
    code: 404
  }
  return new ApiError({ status })
}

const isListedResource = (value: unknown): value is ListedResource => {
  if (typeof value !== "object" || value === null) return false
  const { kind, name, namespaced } = value as Readonly<Record<string, unknown>>
  return typeof kind === "string" && typeof name === "string" && typeof namespaced === "boolean"
}

const parseResourceList = (body: string): ReadonlyArray<ListedResource> | undefined => {
  try {
    const { resources } = JSON.parse(body) as { readonly resources?: unknown }
    return Array.isArray(resources) ? resources.filter(isListedResource) : undefined
  } catch {
    return undefined
  }
}

/**
 * Finds the resource of a kind: modelled kinds in a built-in table, others by the server's discovery of the group
 * version, which is read once, and again for a kind that it did not list.
 */
export const makeKindFinder = (transport: Transport) => {
  const known = new Map<string, Addressed>()

  const discover = (kind: string, found: (result: FindResult) => void): void => {
    const parts = parseKind(kind)
    if (parts === undefined) {
      found(Result.fail(new ConnectionError({ message: `kind ${kind}: expected Kind.group/version` })))
      return
    }
    const { group, version } = parts
    const path = `/apis/${group}/${version}`
    transport.request({ method: "GET", path, headers: { accept: "application/json" } }, (result) => {
      if (Result.isFailure(result)) return found(Result.fail(result.failure))
      if (result.success.code === 404) return found(Result.fail(noMatchError(parts.kind, `${group}/${version}`)))
      if (result.success.code !== 200) return found(Result.fail(errorOf(result.success)))
      const resources = parseResourceList(result.success.body)
      if (resources === undefined) {
        return found(Result.fail(new ConnectionError({ message: `GET ${path}: no APIResourceList` })))
      }
      for (const { kind: name, name: plural, namespaced } of resources) {
        if (!plural.includes("/")) known.set(`${name}.${group}/${version}`, { group, version, plural, namespaced })
      }
      const address = known.get(kind)
      found(
        address === undefined ? Result.fail(noMatchError(parts.kind, `${group}/${version}`)) : Result.succeed(address)
      )
    })
  }

  return {
    /** Returns the resource of a known kind without a request. */
    known: (kind: AnyKind): Addressed | undefined => (isKindName(kind) ? resourceOf(kind) : known.get(kind)),
    find: discover
  }
}

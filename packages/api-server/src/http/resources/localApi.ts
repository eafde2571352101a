import { methodNotSupported, type Status } from "@rollcall/api"
import type { Fields } from "@rollcall/api/values"
import type { Connection } from "@rollcall/cluster"
import * as Context from "effect/Context"
import * as Result from "effect/Result"
import type { Call } from "../call/Call.ts"
import { sendPageNotFound, sendStatus, sendValue } from "../call/respond.ts"
import { isStatus, listQuery } from "../request/Query.ts"
import type { DiscoveredVersion } from "../request/RemoteVersions.ts"

/** One request for objects of an API that are computed when they are read. */
export interface LocalRequest {
  readonly resource: string
  /** Empty for all namespaces, and for objects without one. */
  readonly namespace: string
  /** Empty for a list. */
  readonly name: string
  readonly labelSelector: string | undefined
  readonly fieldSelector: string | undefined
}

/** A resource of such an API, which can be read only. */
export interface LocalResource {
  readonly plural: string
  readonly kind: string
  readonly namespaced: boolean
}

/**
 * A version of an API whose objects this process computes, in place of an aggregated API server. One of an APIService
 * goes first.
 */
export interface LocalApi {
  readonly group: string
  readonly version: string
  readonly groupPriority: number
  readonly versionPriority: number
  readonly resources: ReadonlyArray<LocalResource>
  /** Answers with the object or the list. `connection` reads as the server itself. */
  readonly read: (
    request: LocalRequest,
    connection: Connection,
    reply: (answer: Result.Result<object, Status>) => void
  ) => void
}

/** The computed APIs of the server. By default there are none. */
export const LocalApis = Context.Reference<ReadonlyArray<LocalApi>>("@rollcall/api-server/LocalApis", {
  defaultValue: () => []
})

const READS = ["get", "list"]

/** Returns the version as discovery shows it. */
export const discoveredLocal = ({ resources, ...api }: LocalApi): DiscoveredVersion => ({
  ...api,
  isStale: false,
  resources: resources.map(
    ({ kind, namespaced, plural }): Fields => ({
      resource: plural,
      responseKind: { group: api.group, version: api.version, kind },
      scope: namespaced ? "Namespaced" : "Cluster",
      singularResource: "",
      verbs: READS
    })
  )
})

const resourceList = ({ group, resources, version }: LocalApi) => ({
  kind: "APIResourceList",
  apiVersion: "v1",
  groupVersion: `${group}/${version}`,
  resources: resources.map(({ kind, namespaced, plural }) => ({
    name: plural,
    singularName: "",
    namespaced,
    kind,
    verbs: READS
  }))
})

/** The server's own client. Upstream: apiserver/pkg/authentication/user APIServerUser. */
export const OWN_IDENTITY = { user: "system:apiserver", groups: ["system:masters"], userAgent: "kube-apiserver" }

/** Returns the computed API that a path belongs to. */
export const localApiOf = (apis: ReadonlyArray<LocalApi>, path: string): LocalApi | undefined =>
  apis.find(({ group, version }) => {
    const root = `/apis/${group}/${version}`
    return path === root || path.startsWith(`${root}/`)
  })

/** Serves a request for a computed API. */
export const serveLocalApi = (call: Call, api: LocalApi, connection: Connection): void => {
  const { info, query } = call
  call.negotiated = { encoding: "json", as: undefined, version: "", pretty: false }
  if (!info.isResource) {
    const isRoot = info.path.split("/").filter((part) => part !== "").length === 3
    if (isRoot) sendValue(call, 200, resourceList(api))
    else sendPageNotFound(call)
    return
  }
  const resource = api.resources.find(({ plural }) => plural === info.resource)
  if (resource === undefined || info.subresource !== "" || (info.namespace !== "" && !resource.namespaced)) {
    sendPageNotFound(call)
    return
  }
  if (!READS.includes(info.verb)) {
    sendStatus(call, methodNotSupported({ group: api.group, resource: info.resource }, info.verb))
    return
  }
  const selection = info.verb === "list" ? listQuery(query, false) : {}
  if (isStatus(selection)) {
    sendStatus(call, selection)
    return
  }
  const { fieldSelector, labelSelector } = selection as Partial<LocalRequest>
  const { name, namespace } = info
  api.read({ resource: info.resource, namespace, name, fieldSelector, labelSelector }, connection, (answer) =>
    call.guard(() => {
      if (Result.isSuccess(answer)) sendValue(call, 200, answer.success)
      else sendStatus(call, answer.failure)
    })
  )
}

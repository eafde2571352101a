import { hash } from "node:crypto"
import { type Fields, isFields } from "@rollcall/api/values"
import * as Result from "effect/Result"
import type { RemoteResources, RemoteSpec, RemoteVersion } from "../request/RemoteVersions.ts"
import type { RemoteClient } from "./RemoteClient.ts"
import { remoteSpecOf } from "./remoteSpec.ts"

/** Upstream: kube-aggregator/pkg/apiserver/handler_discovery.go. */
const TIMEOUT_MS = 5_000
const AGGREGATED =
  "application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io,application/json;as=APIGroupDiscoveryList;v=v2beta1;g=apidiscovery.k8s.io"

const aggregator = { user: "system:kube-aggregator", groups: ["system:masters"] }

const listOf = (value: unknown): ReadonlyArray<Fields> => (Array.isArray(value) ? value.filter(isFields) : [])

const parsed = (text: string): Fields => {
  try {
    const value: unknown = JSON.parse(text)
    return isFields(value) ? value : {}
  } catch {
    return {}
  }
}

const emptyKind = { group: "", version: "", kind: "" }

const withKind = (entry: Fields): Fields =>
  entry.responseKind === undefined || entry.responseKind === null ? { ...entry, responseKind: emptyKind } : entry

/** Returns the resources of a version in an APIGroupDiscoveryList; none if it lacks the version. */
export const resourcesOfList = (list: Fields, group: string, version: string): RemoteResources => {
  const ofGroup = listOf(list.items).find(({ metadata }) => isFields(metadata) && metadata.name === group)
  const found = listOf(ofGroup?.versions).find((each) => each.version === version)
  return listOf(found?.resources).map((resource) => {
    const { subresources } = resource
    return withKind(
      Array.isArray(subresources) ? { ...resource, subresources: listOf(subresources).map(withKind) } : resource
    )
  })
}

const kindOf = ({ group = "", kind = "", version = "" }: Fields) => ({ group, version, kind })

/**
 * Returns the resources of an APIResourceList in the form of aggregated discovery. Upstream:
 * apiserver/pkg/endpoints/installer.go, ConvertGroupVersionIntoToDiscovery.
 */
export const resourcesOfLegacyList = (list: Fields): RemoteResources => {
  const resources: Array<Fields> = []
  const byName = new Map<string, Array<Fields>>()
  const addTo = (name: string): Array<Fields> => {
    const known = byName.get(name)
    if (known !== undefined) return known
    const made: Array<Fields> = []
    byName.set(name, made)
    return made
  }
  for (const { categories, name = "", namespaced, shortNames, singularName = "", verbs = [], ...kind } of listOf(
    list.resources
  )) {
    const [plural = "", subresource] = String(name).split("/")
    if (subresource !== undefined) {
      addTo(plural).push({ subresource, responseKind: kindOf(kind), verbs })
      continue
    }
    resources.push({
      resource: plural,
      responseKind: kindOf(kind),
      scope: namespaced === true ? "Namespaced" : "Cluster",
      singularResource: singularName,
      verbs,
      ...(Array.isArray(shortNames) ? { shortNames } : {}),
      ...(Array.isArray(categories) ? { categories } : {}),
      subresources: addTo(plural)
    })
  }
  return resources.map(({ subresources, ...rest }) =>
    Array.isArray(subresources) && subresources.length > 0 ? { ...rest, subresources } : rest
  )
}

/** Reads what a version serves from its API server: its aggregated discovery, or the list of the version. */
export const readResources = (
  client: RemoteClient,
  version: RemoteVersion,
  done: (resources: RemoteResources | undefined) => void
): void => {
  const readLegacy = () =>
    client.read(
      version,
      {
        path: `/apis/${version.group}/${version.version}`,
        user: aggregator,
        headers: ["Accept", "application/json"]
      },
      TIMEOUT_MS,
      (result) =>
        done(
          Result.isSuccess(result) && result.success.code === 200
            ? resourcesOfLegacyList(parsed(result.success.text))
            : undefined
        )
    )
  client.read(version, { path: "/apis", user: aggregator, headers: ["Accept", AGGREGATED] }, TIMEOUT_MS, (result) => {
    if (Result.isFailure(result) || result.success.code === 503) return done(undefined)
    const { code, text, type } = result.success
    if (code === 200 && type.includes("APIGroupDiscoveryList")) {
      return done(resourcesOfList(parsed(text), version.group, version.version))
    }
    readLegacy()
  })
}

/** Reads where the API server of a version has its OpenAPI document. Upstream: controllers/openapiv3/aggregator. */
export const readOpenApiUrl = (
  client: RemoteClient,
  version: RemoteVersion,
  done: (url: string | undefined) => void
): void =>
  client.read(version, { path: "/openapi/v3", user: aggregator }, TIMEOUT_MS, (result) => {
    const { paths } = Result.isSuccess(result) && result.success.code === 200 ? parsed(result.success.text) : {}
    const entry = isFields(paths) ? paths[`apis/${version.group}/${version.version}`] : undefined
    const url = isFields(entry) ? entry.serverRelativeURL : undefined
    done(typeof url === "string" ? url : undefined)
  })

/** Reads what the OpenAPI document of version 2 of an API server says of a version. Upstream: controllers/openapi/aggregator. */
export const readSpec = (
  client: RemoteClient,
  version: RemoteVersion,
  done: (spec: RemoteSpec | undefined) => void
): void => {
  const headers = ["Accept", "application/json"]
  client.read(version, { path: "/openapi/v2", user: aggregator, headers }, TIMEOUT_MS, (result) => {
    if (Result.isFailure(result) || result.success.code !== 200) return done(undefined)
    const { text } = result.success
    const digest = hash("sha256", text)
    done(remoteSpecOf(parsed(text), version.group, version.version, digest))
  })
}

import { wireTypeNamed } from "@rollcall/api/wire"
import type { Json } from "./OpenApiKind.ts"
import { idOfGroup, tagOf } from "./operationNames.ts"
import { answers, METADATA } from "./paths.ts"
import type { OpenApiVersion, Schemas } from "./Schemas.ts"

/** A path that is no resource, as documents describe it. */
export interface OtherPath {
  readonly path: string
  readonly operationId: string
  readonly tag: string
  readonly description: string
  readonly types: ReadonlyArray<string>
  /** What its body is; a text if it is absent. */
  readonly answer?: (schemas: Schemas) => Json
}

const objectTypes = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"]

const messageNamed =
  (name: string) =>
  (schemas: Schemas): Json => {
    const type = wireTypeNamed(`${METADATA}.${name}`)
    return type === undefined ? { type: "object" } : schemas.message(type)
  }

const VERSION_INFO = "io.k8s.apimachinery.pkg.version.Info"
const releases: Readonly<Record<string, string>> = {
  major: "The major version of the release of the server's program.",
  minor: "The minor version of the release of the server's program.",
  emulationMajor: "The major version of the release that the server emulates.",
  emulationMinor: "The minor version of the release that the server emulates.",
  minCompatibilityMajor: "The major version of the oldest release that it is compatible with.",
  minCompatibilityMinor: "The minor version of the oldest release that it is compatible with."
}
const required = [
  "major",
  "minor",
  "gitVersion",
  "gitCommit",
  "gitTreeState",
  "buildDate",
  "goVersion",
  "compiler",
  "platform"
]
const optional = ["emulationMajor", "emulationMinor", "minCompatibilityMajor", "minCompatibilityMinor"]

const described = (name: string): Json => (releases[name] === undefined ? {} : { description: releases[name] })

const versionInfo =
  (version: OpenApiVersion) =>
  (schemas: Schemas): Json => {
    const zero = version === "v3" ? { default: "" } : {}
    const properties = [
      ...required.map((name) => [name, { ...described(name), type: "string", ...zero }] as const),
      ...optional.map((name) => [name, { ...described(name), type: "string" }] as const)
    ]
    schemas.add(VERSION_INFO, {
      description: "The version of the server.",
      type: "object",
      required,
      properties: Object.fromEntries(properties.toSorted(([left], [right]) => (left < right ? -1 : 1)))
    })
    return schemas.refTo(VERSION_INFO)
  }

/** Returns the paths of a server besides those of its groups. Upstream: apiserver/pkg/server/routes; pkg/routes. */
const serverPaths = (version: OpenApiVersion, hasIssuer: boolean): ReadonlyArray<OtherPath> => [
  {
    path: "/api/",
    operationId: "getCoreAPIVersions",
    tag: "core",
    description: "get available API versions",
    types: objectTypes,
    answer: messageNamed("APIVersions")
  },
  {
    path: "/apis/",
    operationId: "getAPIVersions",
    tag: "apis",
    description: "get available API versions",
    types: objectTypes,
    answer: messageNamed("APIGroupList")
  },
  {
    path: "/version/",
    operationId: "getCodeVersion",
    tag: "version",
    description: "get the version information for this server",
    types: ["application/json"],
    answer: versionInfo(version)
  },
  ...(hasIssuer ? issuerPaths : [])
]

const issuerPaths: ReadonlyArray<OtherPath> = [
  {
    path: "/.well-known/openid-configuration/",
    operationId: "getServiceAccountIssuerOpenIDConfiguration",
    tag: "WellKnown",
    description: "get service account issuer OpenID configuration, also known as the 'OIDC discovery doc'",
    types: ["application/json"]
  },
  {
    path: "/openid/v1/jwks/",
    operationId: "getServiceAccountIssuerOpenIDKeyset",
    tag: "openid",
    description: "get service account issuer OpenID JSON Web Key Set (contains public token verification keys)",
    types: ["application/jwk-set+json"]
  }
]

const groupPath = (group: string): OtherPath => ({
  path: `/apis/${group}/`,
  operationId: `get${idOfGroup(group)}APIGroup`,
  tag: tagOf(group),
  description: "get information of a group",
  types: objectTypes,
  answer: messageNamed("APIGroup")
})

const versionPath = (group: string, version: string): OtherPath => ({
  path: group === "" ? `/api/${version}/` : `/apis/${group}/${version}/`,
  operationId: `get${idOfGroup(group, version)}APIResources`,
  tag: tagOf(group, version),
  description: "get available resources",
  types: objectTypes,
  answer: messageNamed("APIResourceList")
})

/** Returns the paths besides those of resources, for the built-in groups with their versions. */
export const otherPaths = (
  groups: ReadonlyMap<string, ReadonlySet<string>>,
  version: OpenApiVersion,
  hasIssuer: boolean
): ReadonlyArray<OtherPath> => [
  ...serverPaths(version, hasIssuer),
  ...[...groups].flatMap(([group, versions]) => [
    ...(group === "" ? [] : [groupPath(group)]),
    ...[...versions].map((each) => versionPath(group, each))
  ])
]

/** Returns the item of a path, and adds its schemas. */
export const otherPathItem = (
  { answer, description, operationId, tag, types }: OtherPath,
  schemas: Schemas,
  version: OpenApiVersion
): Json => ({
  get: {
    tags: [tag],
    description,
    operationId,
    ...(version === "v2"
      ? { ...(answer === undefined ? {} : { consumes: types }), produces: types, schemes: ["https"] }
      : {}),
    responses: answers(["200"], types, answer?.(schemas) ?? { type: "string" }, version)
  }
})

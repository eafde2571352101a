import type { Json } from "./OpenApiKind.ts"
import type { Version } from "./Schemas.ts"

// The parameters of the API's operations. Upstream: apiserver/pkg/endpoints/installer.go.

interface Parameter {
  readonly name: string
  readonly type: "string" | "boolean" | "integer"
  readonly description: string
}

const parameter = (name: string, type: Parameter["type"], description: string): Parameter => ({
  name,
  type,
  description
})

const fieldValidation = parameter(
  "fieldValidation",
  "string",
  "How unknown and duplicate fields are handled: Ignore, Warn or Strict."
)
const fieldManager = parameter(
  "fieldManager",
  "string",
  "The name of the manager that owns the fields of this request."
)
const dryRun = parameter(
  "dryRun",
  "string",
  "With the value All, the request is processed and its result is not stored."
)
const resourceVersion = parameter("resourceVersion", "string", "The revision at which the objects are requested.")
const resourceVersionMatch = parameter(
  "resourceVersionMatch",
  "string",
  "How resourceVersion is applied: Exact or NotOlderThan."
)

const selection: ReadonlyArray<Parameter> = [
  parameter("continue", "string", "The token of the previous page."),
  parameter("fieldSelector", "string", "Only objects with these fields."),
  parameter("labelSelector", "string", "Only objects with these labels."),
  parameter("limit", "integer", "The maximum number of objects of a page."),
  resourceVersion,
  resourceVersionMatch,
  parameter("sendInitialEvents", "boolean", "Whether a watch starts with the existing objects."),
  parameter("timeoutSeconds", "integer", "The maximum duration of the request, in seconds.")
]

const deletion: ReadonlyArray<Parameter> = [
  dryRun,
  parameter("gracePeriodSeconds", "integer", "How long the object may take to terminate, in seconds."),
  parameter("orphanDependents", "boolean", "Whether dependents are kept. Superseded by propagationPolicy."),
  parameter("propagationPolicy", "string", "How its dependents are handled: Orphan, Background or Foreground.")
]

/** Parameters by action. */
const byAction: Readonly<Record<string, ReadonlyArray<Parameter>>> = {
  get: [],
  list: [
    parameter("allowWatchBookmarks", "boolean", "Whether a watch sends bookmarks with the current revision."),
    ...selection,
    parameter("watch", "boolean", "Whether changes are sent instead of a list.")
  ],
  post: [dryRun, fieldManager, fieldValidation],
  put: [dryRun, fieldManager, fieldValidation],
  patch: [
    dryRun,
    fieldManager,
    fieldValidation,
    parameter("force", "boolean", "Whether an apply takes ownership of fields from other managers.")
  ],
  delete: deletion,
  deletecollection: [...deletion, ...selection]
}

const parameterJson = ({ description, name, type }: Parameter, location: "query" | "path", version: Version): Json => {
  const common = {
    description,
    in: location,
    name,
    ...(location === "path" ? { required: true } : {}),
    uniqueItems: true
  }
  if (version === "v2") return { ...common, type }
  const { uniqueItems, ...rest } = common
  return { ...rest, schema: { type, uniqueItems } }
}

/** Returns the query parameters of an action. */
export const queryParameters = (action: string, version: Version): ReadonlyArray<Json> =>
  (byAction[action] ?? []).map((each) => parameterJson(each, "query", version))

/** Returns the parameters of a `proxy` subresource's paths. */
export const proxyParameters = (path: string, options: string, version: Version): ReadonlyArray<Json> => {
  const name = parameter("name", "string", `name of the ${options}`)
  const rest = parameter("path", "string", "path to the resource")
  const query = parameter("path", "string", "The path of the request to the object's address.")
  return [
    parameterJson(name, "path", version),
    ...(path.includes("{path}") ? [parameterJson(rest, "path", version)] : []),
    parameterJson(query, "query", version)
  ]
}

/** Returns the parameters of all operations of a path. */
export const pathParameters = (path: string, kind: string, version: Version): ReadonlyArray<Json> => {
  const name = parameter("name", "string", `Name of the ${kind}.`)
  const namespace = parameter("namespace", "string", "The namespace of the object.")
  const pretty = parameter("pretty", "string", "Whether the answer is indented.")
  return [
    ...(path.includes("{name}") ? [parameterJson(name, "path", version)] : []),
    ...(path.includes("{namespace}") ? [parameterJson(namespace, "path", version)] : []),
    parameterJson(pretty, "query", version)
  ]
}

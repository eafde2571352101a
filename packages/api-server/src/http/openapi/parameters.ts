import type { Json } from "./OpenApiKind.ts"
import type { Version } from "./Schemas.ts"

/** The parameters of the API's operations. Upstream: apiserver/pkg/endpoints/installer.go. */

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
  "What becomes of unknown and doubled fields: Ignore, Warn or Strict."
)
const fieldManager = parameter("fieldManager", "string", "In whose name the fields of this request are owned.")
const dryRun = parameter("dryRun", "string", "All: everything is done but keeping the result.")
const resourceVersion = parameter("resourceVersion", "string", "Which state of the objects is wanted.")
const resourceVersionMatch = parameter("resourceVersionMatch", "string", "How resourceVersion is meant.")

const selection: ReadonlyArray<Parameter> = [
  parameter("continue", "string", "Where the page before this one ended."),
  parameter("fieldSelector", "string", "Only objects with these fields."),
  parameter("labelSelector", "string", "Only objects with these labels."),
  parameter("limit", "integer", "The most objects of a page."),
  resourceVersion,
  resourceVersionMatch,
  parameter("sendInitialEvents", "boolean", "A watch begins with what there is."),
  parameter("timeoutSeconds", "integer", "How long the call may last.")
]

const deletion: ReadonlyArray<Parameter> = [
  dryRun,
  parameter("gracePeriodSeconds", "integer", "How long the object has to end."),
  parameter("orphanDependents", "boolean", "Whether dependents outlive it. Superseded by propagationPolicy."),
  parameter("propagationPolicy", "string", "What becomes of its dependents: Orphan, Background or Foreground.")
]

/** Parameters by action. */
const byAction: Readonly<Record<string, ReadonlyArray<Parameter>>> = {
  get: [],
  list: [
    parameter("allowWatchBookmarks", "boolean", "A watch tells revisions at which nothing changed."),
    ...selection,
    parameter("watch", "boolean", "Changes from now on instead of a list.")
  ],
  post: [dryRun, fieldManager, fieldValidation],
  put: [dryRun, fieldManager, fieldValidation],
  patch: [
    dryRun,
    fieldManager,
    fieldValidation,
    parameter("force", "boolean", "Takes fields from other managers. Only for apply.")
  ],
  delete: deletion,
  deletecollection: [...deletion, ...selection]
}

const parameterJson = ({ description, name, type }: Parameter, place: "query" | "path", version: Version): Json => {
  const common = { description, in: place, name, ...(place === "path" ? { required: true } : {}), uniqueItems: true }
  if (version === "v2") return { ...common, type }
  const { uniqueItems, ...rest } = common
  return { ...rest, schema: { type, uniqueItems } }
}

export const queryParameters = (action: string, version: Version): ReadonlyArray<Json> =>
  (byAction[action] ?? []).map((each) => parameterJson(each, "query", version))

/** Returns the parameters of a `proxy` subresource's paths. */
export const proxyParameters = (path: string, options: string, version: Version): ReadonlyArray<Json> => {
  const name = parameter("name", "string", `name of the ${options}`)
  const rest = parameter("path", "string", "path to the resource")
  const asked = parameter("path", "string", "The path that what the object stands for is asked for.")
  return [
    parameterJson(name, "path", version),
    ...(path.includes("{path}") ? [parameterJson(rest, "path", version)] : []),
    parameterJson(asked, "query", version)
  ]
}

/** Returns the parameters of all operations of a path. */
export const pathParameters = (path: string, kind: string, version: Version): ReadonlyArray<Json> => {
  const name = parameter("name", "string", `Name of the ${kind}.`)
  const namespace = parameter("namespace", "string", "Where the object is, and who may reach it.")
  const pretty = parameter("pretty", "string", "If 'true', the answer is indented.")
  return [
    ...(path.includes("{name}") ? [parameterJson(name, "path", version)] : []),
    ...(path.includes("{namespace}") ? [parameterJson(namespace, "path", version)] : []),
    parameterJson(pretty, "query", version)
  ]
}

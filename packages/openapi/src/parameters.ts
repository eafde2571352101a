import type { Json } from "./OpenApiKind.ts"
import type { Action } from "./operations.ts"
import type { OpenApiVersion } from "./Schemas.ts"

// The parameters of the API's operations. Upstream: apiserver/pkg/endpoints/installer.go.

export interface Parameter {
  readonly name: string
  readonly type: "string" | "boolean" | "integer"
  readonly description: string
  readonly isInPath?: boolean
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
  parameter("shardSelector", "string", "Only objects of this part of all, by a hash of a field."),
  parameter("timeoutSeconds", "integer", "The maximum duration of the request, in seconds.")
]

const listing: ReadonlyArray<Parameter> = [
  parameter("allowWatchBookmarks", "boolean", "Whether a watch sends bookmarks with the current revision."),
  ...selection,
  parameter("watch", "boolean", "Whether changes are sent instead of a list.")
]

const deletion: ReadonlyArray<Parameter> = [
  dryRun,
  parameter("gracePeriodSeconds", "integer", "How long the object may take to terminate, in seconds."),
  parameter(
    "ignoreStoreReadErrorWithClusterBreakingPotential",
    "boolean",
    "Whether an object that cannot be read from the store is deleted nevertheless."
  ),
  parameter("orphanDependents", "boolean", "Whether dependents are kept. Superseded by propagationPolicy."),
  parameter("propagationPolicy", "string", "How its dependents are handled: Orphan, Background or Foreground.")
]

const writing: ReadonlyArray<Parameter> = [dryRun, fieldManager, fieldValidation]

const byAction: Readonly<Record<Action, ReadonlyArray<Parameter>>> = {
  GET: [],
  LIST: listing,
  WATCH: listing,
  WATCHLIST: listing,
  POST: writing,
  PUT: writing,
  PATCH: [...writing, parameter("force", "boolean", "Whether an apply takes ownership of fields from other managers.")],
  DELETE: deletion,
  DELETECOLLECTION: [...deletion, ...selection],
  CONNECT: []
}

/** The actions on custom resources whose parameters differ. Upstream: apiextensions-apiserver/pkg/controller/openapi/builder. */
const ofCustom: Partial<Record<Action, ReadonlyArray<Parameter>>> = {
  GET: [resourceVersion],
  DELETECOLLECTION: listing
}

/** The options of a read of a container's log. Upstream: core/v1, PodLogOptions. */
const logOptions: ReadonlyArray<Parameter> = [
  parameter("container", "string", "The container; a pod with only one needs none."),
  parameter("follow", "boolean", "Whether the answer goes on while the container writes."),
  parameter("insecureSkipTLSVerifyBackend", "boolean", "Whether the certificate of the kubelet is not verified."),
  parameter("limitBytes", "integer", "The maximum number of bytes of the answer."),
  parameter("previous", "boolean", "Whether the log is that of the container before its restart."),
  parameter("sinceSeconds", "integer", "Only lines of the last seconds."),
  parameter("stream", "string", "Only what was written to this stream: All, Stdout or Stderr."),
  parameter("tailLines", "integer", "The number of lines from the end."),
  parameter("timestamps", "boolean", "Whether each line begins with its time.")
]

const attachOptions: ReadonlyArray<Parameter> = [
  parameter("container", "string", "The container; a pod with only one needs none."),
  parameter("stderr", "boolean", "Whether the stream has the standard error."),
  parameter("stdin", "boolean", "Whether the stream has the standard input."),
  parameter("stdout", "boolean", "Whether the stream has the standard output."),
  parameter("tty", "boolean", "Whether the streams are those of a terminal.")
]

/** The options of subresources. Upstream: core/v1, PodExecOptions and others. */
const bySubresource: Readonly<Record<string, ReadonlyArray<Parameter>>> = {
  attach: attachOptions,
  exec: [...attachOptions, parameter("command", "string", "The command, a word for each parameter.")],
  log: logOptions,
  portforward: [parameter("ports", "integer", "The ports to forward.")],
  proxy: [parameter("path", "string", "The path of the request to the object's address.")]
}

const namespace: Parameter = {
  ...parameter("namespace", "string", "The namespace of the object."),
  isInPath: true
}
const rest: Parameter = { ...parameter("path", "string", "path to the resource"), isInPath: true }
const pretty = parameter("pretty", "string", "Whether the answer is indented.")

/** Returns all parameters of an operation on a path, those of the path included, by name. */
export const parametersOf = (
  template: string,
  action: Action,
  { isCustom, kind, subresource }: { readonly isCustom: boolean; readonly kind: string; readonly subresource: string }
): ReadonlyArray<Parameter> => {
  const own = (isCustom ? ofCustom[action] : undefined) ?? byAction[action]
  const all = [
    ...(template.includes("{name}") ? [{ ...parameter("name", "string", `name of the ${kind}`), isInPath: true }] : []),
    ...(template.includes("{namespace}") ? [namespace] : []),
    ...(template.includes("{path}") ? [rest] : []),
    ...own,
    ...(bySubresource[subresource] ?? []),
    ...(action === "CONNECT" ? [] : [pretty])
  ]
  return all.toSorted((left, right) => (left.name < right.name ? -1 : left.name > right.name ? 1 : 0))
}

/** Returns a parameter as documents have it. */
export const parameterJson = (
  { description, isInPath = false, name, type }: Parameter,
  version: OpenApiVersion
): Json => {
  const common = { name, in: isInPath ? "path" : "query", description, ...(isInPath ? { required: true } : {}) }
  return version === "v2" ? { ...common, uniqueItems: true, type } : { ...common, schema: { type, uniqueItems: true } }
}

import type { Gvk } from "./OpenApiKind.ts"
import type { Action } from "./operations.ts"

/** What the name of an operation follows from. */
export interface NamedOperation {
  readonly action: Action
  /** The HTTP method. */
  readonly method: string
  /** The kind of the resource, also for its subresources. */
  readonly kind: Gvk
  readonly subresource: string
  readonly namespaced: boolean
  readonly acrossNamespaces: boolean
  readonly withPath: boolean
}

/** The first word of an operation's id, and what follows group and version. */
const verbs: Readonly<Record<Action, readonly [verb: string, more: string]>> = {
  LIST: ["list", ""],
  POST: ["create", ""],
  DELETECOLLECTION: ["delete", "Collection"],
  WATCHLIST: ["watch", ""],
  GET: ["read", ""],
  PUT: ["replace", ""],
  PATCH: ["patch", ""],
  DELETE: ["delete", ""],
  WATCH: ["watch", ""],
  CONNECT: ["connect", ""]
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Returns a text as a part of an identifier: each run of other characters makes the next letter a capital. */
const identifier = (text: string): string => text.replace(/[^A-Za-z0-9_]+(.)/g, (_, next: string) => next.toUpperCase())

const groupName = (group: string): string => identifier(group === "" ? "core" : group.replace(/\.k8s\.io$/, ""))

/** Returns the part of an operation's id that names a group, or one of its versions. */
export const idOfGroup = (group: string, version = ""): string => `${capital(groupName(group))}${capital(version)}`

/** Returns the tag of the operations of a group, or of one of its versions. */
export const tagOf = (group: string, version = ""): string =>
  version === "" ? groupName(group) : `${groupName(group)}_${version}`

/**
 * Returns the id of an operation, by which generated clients name their functions: `listCoreV1NamespacedPod`. Upstream:
 * endpoints/installer.go; endpoints/openapi/openapi.go, GetOperationIDAndTags.
 */
export const operationId = (operation: NamedOperation): string => {
  const { acrossNamespaces, action, kind, method, namespaced, subresource, withPath } = operation
  const [verb, more] = verbs[action]
  return [
    verb,
    idOfGroup(kind.group, kind.version),
    more,
    action === "CONNECT" ? capital(method.toLowerCase()) : "",
    namespaced && !acrossNamespaces ? "Namespaced" : "",
    kind.kind,
    capital(subresource),
    action === "WATCHLIST" ? "List" : "",
    withPath ? "WithPath" : acrossNamespaces ? "ForAllNamespaces" : ""
  ].join("")
}

/** Returns the article before a noun; plurals have none. */
const article = (noun: string): string => {
  if (/[^s]s$/.test(noun)) return " "
  return /^[aeiou]/i.test(noun) ? " an " : " a "
}

const INSTEAD = "deprecated: use the 'watch' parameter with a list operation instead"

/** Returns the description of an operation. Upstream: endpoints/installer.go. */
export const descriptionOf = (
  { action, kind: { kind }, method, subresource }: NamedOperation,
  lists: string
): string => {
  const of = subresource === "" ? "" : ` ${subresource} of`
  switch (action) {
    case "LIST":
      return `${lists} objects of kind ${kind}`
    case "POST":
      return `create${of}${article(kind)}${kind}`
    case "DELETECOLLECTION":
      return `delete collection of ${kind}`
    case "GET":
      return `read${of} the specified ${kind}`
    case "PUT":
      return `replace${of} the specified ${kind}`
    case "PATCH":
      return `partially update${of} the specified ${kind}`
    case "DELETE":
      return `delete${of}${article(kind)}${kind}`
    case "WATCH":
      return `watch changes to an object of kind ${kind}. ${INSTEAD}, filtered to a single item with the 'fieldSelector' parameter.`
    case "WATCHLIST":
      return `watch individual changes to a list of ${kind}. ${INSTEAD}.`
    case "CONNECT":
      return `connect ${method} requests to${of} ${kind}`
  }
}

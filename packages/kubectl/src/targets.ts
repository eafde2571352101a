import type { KubeObject } from "@rollcall/api"
import { ApiError, type ClusterError } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Arguments } from "./Arguments.ts"
import { CommandError, commandError, serverErrorText } from "./CommandError.ts"
import { discover, findMapping, noSuchResourceError } from "./discovery.ts"
import type { Host } from "./Host.ts"
import { collectionPath, type Mapping, objectPath } from "./Mapping.ts"
import { readManifests } from "./manifests.ts"
import { call, callObject } from "./request.ts"

/** A target on the command line: the selected objects of a resource, or one object by name. */
export interface Target {
  readonly mapping: Mapping
  readonly name: string | undefined
}

/** An object that was read, with its resource and namespace. kubectl's name for it is Info. */
export interface Info {
  readonly mapping: Mapping
  readonly namespace: string
  readonly name: string
  readonly object: KubeObject
}

const MIXED_FORMS =
  "there is no need to specify a resource type as a separate argument when passing arguments in resource/name form (e.g. 'kubectl get resource/<resource_name>' instead of 'kubectl get resource resource/<resource_name>'"

const findMappingOrFail = (mappings: ReadonlyArray<Mapping>, text: string): Effect.Effect<Mapping, CommandError> => {
  const mapping = findMapping(mappings, text)
  return mapping === undefined ? Effect.fail(noSuchResourceError(text)) : Effect.succeed(mapping)
}

/** Returns the resource for a name, or all resources of the category `all`. */
const findMappingsOrFail = (
  mappings: ReadonlyArray<Mapping>,
  text: string
): Effect.Effect<ReadonlyArray<Mapping>, CommandError> => {
  const category =
    findMapping(mappings, text) === undefined ? mappings.filter(({ categories }) => categories.includes(text)) : []
  return category.length > 0
    ? Effect.succeed(category)
    : Effect.map(findMappingOrFail(mappings, text), (mapping) => [mapping])
}

/** Parses `pods`, `pods,cm`, `pod web db`, `pod/web cm/c`. Upstream: cli-runtime/pkg/resource, Builder. */
export const readTargets = Effect.fnUntraced(function* (
  mappings: ReadonlyArray<Mapping>,
  positional: ReadonlyArray<string>
) {
  if (positional.some((argument) => argument.includes("/"))) {
    const targets: Array<Target> = []
    for (const argument of positional) {
      const parts = argument.split("/")
      if (parts.length === 1) return yield* commandError(MIXED_FORMS)
      const [type = "", name = ""] = parts
      if (parts.length !== 2 || type === "" || name === "") {
        return yield* commandError("arguments in resource/name form may not have more than one slash")
      }
      targets.push({ mapping: yield* findMappingOrFail(mappings, type), name })
    }
    return targets
  }
  const [types = "", ...names] = positional
  const found = yield* Effect.forEach(types.split(","), (type) => findMappingsOrFail(mappings, type))
  const wanted = found.flat()
  if (names.length === 0) return wanted.map((mapping): Target => ({ mapping, name: undefined }))
  return wanted.flatMap((mapping) => names.map((name): Target => ({ mapping, name })))
})

/** Returns the namespace of a command, and whether it covers all namespaces. */
export const scopeOf = (host: Host, args: Arguments) => ({
  namespace: args.text("namespace") ?? host.namespace,
  everywhere: args.isOn("all-namespaces")
})

export const selectorsOf = (args: Arguments): Record<string, string> => {
  const labelSelector = args.text("selector")
  const fieldSelector = args.text("field-selector")
  return {
    ...(labelSelector ? { labelSelector } : {}),
    ...(fieldSelector ? { fieldSelector } : {})
  }
}

/**
 * Rewords an error 400 or 404 of a list so that it names the resource and the selectors. Upstream:
 * cli-runtime/pkg/resource/selector.go.
 */
export const listErrorOf =
  (mapping: Mapping, { fieldSelector = "", labelSelector = "" }: Readonly<Record<string, string>>) =>
  (error: ClusterError): ClusterError => {
    if (error._tag !== "ApiError" || (error.code !== 400 && error.code !== 404)) return error
    const resource = JSON.stringify(`${mapping.group}/${mapping.version}, Resource=${mapping.plural}`)
    const selectors = `label selector ${JSON.stringify(labelSelector)}, field selector ${JSON.stringify(fieldSelector)}`
    const selects = labelSelector !== "" || fieldSelector !== ""
    const problem = selects ? `Unable to find ${resource} that match ${selectors}` : `Unable to list ${resource}`
    return new ApiError({ status: { ...error.status, message: `${problem}: ${error.message}` } })
  }

const DEFAULT_PAGE_SIZE = "500"

interface Page {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata?: { readonly continue?: string }
  readonly items?: ReadonlyArray<KubeObject> | null
}

/** Lists all objects of a collection in pages; in one request if the page size is "0". */
export const listObjects = Effect.fnUntraced(function* (
  host: Host,
  mapping: Mapping,
  namespace: string | undefined,
  query: Readonly<Record<string, string>>,
  pageSize = DEFAULT_PAGE_SIZE
) {
  const limit: Record<string, string> = Number(pageSize) === 0 ? {} : { limit: pageSize }
  const objects: Array<KubeObject> = []
  let next: string | undefined
  do {
    const continueQuery: Record<string, string> = next === undefined ? {} : { continue: next }
    const path = collectionPath(mapping, namespace)
    const answer = call(host, { method: "GET", path, query: { ...query, ...limit, ...continueQuery } })
    const page = (yield* Effect.mapError(answer, listErrorOf(mapping, query))) as Page
    for (const item of page.items ?? []) {
      const typed = { apiVersion: page.apiVersion ?? "", kind: mapping.kind }
      objects.push({ ...typed, ...item })
    }
    next = page.metadata?.continue || undefined
  } while (next !== undefined)
  return objects
})

/** The objects that were found, and the errors of the others. */
export interface Resolved {
  readonly infos: ReadonlyArray<Info>
  readonly errors: ReadonlyArray<ClusterError>
}

const infoOf = (mapping: Mapping, namespace: string, object: KubeObject): Info => ({
  mapping,
  namespace: object.metadata.namespace ?? (mapping.namespaced ? namespace : ""),
  name: object.metadata.name ?? "",
  object
})

/** Fails if names are combined with a selector. */
export const refuseNamesWithSelector = (
  targets: ReadonlyArray<Target>,
  args: Arguments
): Effect.Effect<void, CommandError> =>
  Object.keys(selectorsOf(args)).length > 0 && targets.some(({ name }) => name !== undefined)
    ? Effect.fail(commandError("name cannot be provided when a selector is specified"))
    : Effect.void

/** Reads the objects of the targets; continues after a missing one. */
export const resolveTargets = Effect.fnUntraced(function* (
  host: Host,
  targets: ReadonlyArray<Target>,
  args: Arguments
) {
  const { everywhere, namespace } = scopeOf(host, args)
  const infos: Array<Info> = []
  const errors: Array<ClusterError> = []
  for (const { mapping, name } of targets) {
    const objects = yield* Effect.result(
      name === undefined
        ? listObjects(host, mapping, everywhere ? undefined : namespace, selectorsOf(args))
        : Effect.map(callObject(host, { method: "GET", path: objectPath(mapping, namespace, name) }), (object) => [
            object
          ])
    )
    if (Result.isFailure(objects)) errors.push(objects.failure)
    else infos.push(...objects.success.map((object) => infoOf(mapping, namespace, object)))
  }
  return { infos, errors }
})

/** Reads the objects of a command line: by name, selector or file. */
export const resolveArguments = Effect.fnUntraced(function* (
  host: Host,
  positional: ReadonlyArray<string>,
  args: Arguments
) {
  const mappings = yield* discover(host)
  const files = args.texts("filename")
  if (files.length === 0) {
    const targets = yield* readTargets(mappings, positional)
    yield* refuseNamesWithSelector(targets, args)
    return yield* resolveTargets(host, targets, args)
  }
  const manifests = yield* readManifests(host, mappings, args)
  const targets = manifests.infos.map(({ mapping, name }): Target => ({ mapping, name }))
  return yield* resolveTargets(host, targets, args)
})

/** Fails with the errors of the server, if there are any. */
export const failWithServerErrors = (
  host: Host,
  errors: ReadonlyArray<ClusterError>
): Effect.Effect<void, CommandError> =>
  errors.length === 0
    ? Effect.void
    : Effect.fail(new CommandError({ text: errors.map((error) => serverErrorText(error, host.server)).join("\n") }))

import { internalError, type KubeObject, type ObjectMeta, type Status } from "@rollcall/api"
import { scaleOf, withScale } from "@rollcall/api/scale"
import { withoutEmpties } from "@rollcall/api/wire"
import type { ApiRequest } from "@rollcall/cluster"
import { type Steps, waitFor } from "@rollcall/time"
import * as Result from "effect/Result"
import type { AdmissionAttributes, UserInfo } from "./attributes.ts"
import type { AdmissionKind, AdmissionKinds } from "./ports.ts"

export interface GroupVersionKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

export interface GroupVersionResource {
  readonly group: string
  readonly version: string
  readonly resource: string
}

export type Operation = "CONNECT" | "CREATE" | "DELETE" | "UPDATE"

/** A request as policies and webhooks see it: its objects are those of the subresource. */
export interface Subject {
  readonly operation: Operation
  readonly kind: GroupVersionKind
  readonly resource: GroupVersionResource
  readonly subresource: string
  /** For a Namespace its own name, as in its path. */
  readonly namespace: string
  readonly name: string
  readonly object: KubeObject | undefined
  readonly oldObject: KubeObject | undefined
  readonly userInfo: UserInfo
  readonly dryRun: boolean
  readonly options: Readonly<Record<string, unknown>>
  readonly definition: AdmissionKind
}

const operations = { create: "CREATE", update: "UPDATE", delete: "DELETE", connect: "CONNECT" } as const

/** The kinds of the objects of subresources, where they differ from the kind of the resource. */
const subresourceKinds: Readonly<Record<string, GroupVersionKind>> = {
  binding: { group: "", version: "v1", kind: "Binding" },
  eviction: { group: "policy", version: "v1", kind: "Eviction" },
  scale: { group: "autoscaling", version: "v1", kind: "Scale" },
  token: { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" }
}

const optionsOf = (request: ApiRequest | undefined, operation: Operation): Readonly<Record<string, unknown>> => {
  const type = (kind: string) => ({ kind, apiVersion: "meta.k8s.io/v1" })
  if (request === undefined) return {}
  if (request.verb === "delete" || request.verb === "deletecollection") {
    return { ...request.options, ...type("DeleteOptions") }
  }
  if (request.verb === "get" || request.verb === "list") return {}
  const { dryRun, fieldManager, fieldValidation } = request
  return {
    ...type(operation === "CREATE" ? "CreateOptions" : "UpdateOptions"),
    ...(dryRun === true ? { dryRun: ["All"] } : {}),
    ...(fieldManager === undefined ? {} : { fieldManager }),
    ...(fieldValidation === undefined ? {} : { fieldValidation })
  }
}

/** Returns an object as Go writes it: without the lists and maps given as empty. A new one is in its namespace, which its body need not name, and has no revision. */
const placed = (given: KubeObject, namespace: string): KubeObject => {
  const object = withoutEmpties(given)
  const metadata = metadataOf(object)
  if (metadata === undefined || (metadata.namespace === namespace && metadata.resourceVersion !== "")) return object
  const { resourceVersion, ...rest } = metadata
  const revision = resourceVersion === undefined || resourceVersion === "" ? {} : { resourceVersion }
  return { ...object, metadata: { ...rest, ...(namespace === "" ? {} : { namespace }), ...revision } }
}

/** Returns what policies and webhooks see of a write or a connection. */
export const subjectOf = (attributes: AdmissionAttributes, registry: AdmissionKinds): Subject => {
  const definition = registry.kind(attributes.kind)?.definition
  if (definition === undefined) throw new Error(`a write of ${attributes.kind}, which is not served`)
  const { exchange, object, oldObject, resource, subresource = "", userInfo } = attributes
  const operation = operations[attributes.verb]
  const { group, kind, plural, version } = resource
  const shown = (of: KubeObject | undefined) => {
    if (of === undefined) return undefined
    return subresource === "scale" ? scaleOf(of, definition.scale) : placed(of, attributes.namespace)
  }
  const isNamespace = group === "" && plural === "namespaces"
  const own = subresourceKinds[subresource] ?? { group, version, kind }
  return {
    operation,
    kind: operation === "CONNECT" ? { group, version, kind: object?.kind ?? "" } : own,
    resource: { group, version, resource: plural },
    subresource,
    namespace: isNamespace ? attributes.name || (object?.metadata.name ?? "") : attributes.namespace,
    name: attributes.name,
    object: shown(object),
    oldObject: shown(oldObject),
    userInfo,
    dryRun: attributes.dryRun,
    options: optionsOf(exchange?.request, operation),
    definition
  }
}

/** Whether the objects of a request are not of the kind of its resource. */
const hasOwnKind = ({ operation, subresource }: Subject): boolean =>
  operation === "CONNECT" || subresourceKinds[subresource] !== undefined

/** Returns the metadata of an object; options of connections have none. */
export const metadataOf = (object: KubeObject | undefined): ObjectMeta | undefined =>
  (object as Partial<KubeObject> | undefined)?.metadata

/** Returns the other definitions that serve the same objects: the same resource in other groups and versions. */
export const equivalentsOf = (registry: AdmissionKinds, definition: AdmissionKind): ReadonlyArray<AdmissionKind> => {
  // What is served under no path of its own shares no objects with what is.
  if (definition.hidden === true) return []
  const base = definition.view?.of ?? definition.key
  const found: Array<AdmissionKind> = []
  for (const state of registry.states()) {
    const other = state.definition
    if (other.hidden === true || other.key === definition.key) continue
    if (other.key === base || other.view?.of === base) found.push(other)
  }
  return found
}

const converted = (object: KubeObject | undefined, from: AdmissionKind, to: AdmissionKind): KubeObject | undefined => {
  if (object === undefined) return undefined
  const stored = from.view === undefined ? object : from.view.toStorage(object)
  return to.view === undefined ? stored : to.view.fromStorage(stored)
}

type Objects = Pick<Subject, "object" | "oldObject">

/** The objects of requests in versions whose conversion takes a call. */
const prepared = new WeakMap<Subject, Map<AdmissionKind, Objects>>()

/** Converts an object to another version of its kind by a call; fails with the refusal of the request. */
export const convertInSteps = function* (
  { view }: AdmissionKind,
  object: KubeObject | undefined,
  apiVersion: string
): Steps<Result.Result<KubeObject | undefined, Status>> {
  if (object === undefined || view?.called === undefined) return Result.succeed(object)
  const { toVersion } = view.called
  const converted = yield* waitFor<Result.Result<KubeObject, string>>((done) => toVersion(object, apiVersion, done))
  return Result.mapError(converted, internalError)
}

/** Whether the objects of a request get into the version of an equivalent definition by a call. */
export const needsCall = (subject: Subject, to: AdmissionKind): boolean =>
  subject.definition.view?.called !== undefined && to !== subject.definition && !hasOwnKind(subject)

/** Converts the objects of a request for `inVersion`, where that takes a call; returns the refusal. */
export const prepareVersion = function* (subject: Subject, to: AdmissionKind): Steps<Status | undefined> {
  const versions = prepared.get(subject) ?? new Map<AdmissionKind, Objects>()
  if (!needsCall(subject, to) || versions.has(to)) return undefined
  const object = yield* convertInSteps(subject.definition, subject.object, to.apiVersion)
  if (Result.isFailure(object)) return object.failure
  const oldObject = yield* convertInSteps(subject.definition, subject.oldObject, to.apiVersion)
  if (Result.isFailure(oldObject)) return oldObject.failure
  versions.set(to, { object: object.success, oldObject: oldObject.success })
  prepared.set(subject, versions)
  return undefined
}

/** Returns the objects of a request in the version of an equivalent definition; those of subresources have their own. */
export const inVersion = (subject: Subject, to: AdmissionKind): Objects => {
  if (to === subject.definition || hasOwnKind(subject)) return subject
  if (needsCall(subject, to)) {
    const objects = prepared.get(subject)?.get(to)
    if (objects === undefined)
      throw new Error(`objects of ${subject.definition.key} are read before they are converted`)
    return objects
  }
  return {
    object: converted(subject.object, subject.definition, to),
    oldObject: converted(subject.oldObject, subject.definition, to)
  }
}

/** Returns the object of the request for one that was changed in the version of an equivalent definition. */
export const fromVersion = (
  object: KubeObject,
  { object: whole }: AdmissionAttributes,
  subject: Subject,
  from: AdmissionKind
): Result.Result<KubeObject, Status> => {
  const { definition, subresource } = subject
  if (subresource === "scale" && whole !== undefined) {
    return withScale(definition, whole, object)
  }
  if (hasOwnKind(subject)) return Result.succeed(object)
  const own = from === definition ? object : converted(object, from, definition)
  return Result.succeed(definition.defaults(own ?? object))
}

/** Returns the kind of an equivalent definition's objects for the request's subresource. */
export const kindIn = (subject: Subject, { resource: { group, kind, version } }: AdmissionKind): GroupVersionKind =>
  hasOwnKind(subject) ? subject.kind : { group, version, kind }

import type { KubeObject, ObjectMeta } from "@rollcall/api"
import { isFields, withSortedKeys } from "@rollcall/api/values"
import { type WireType, wireTypeNamed, withoutEmpties } from "@rollcall/api/wire"
import { type ManagedKind, managerName } from "@rollcall/field-ownership"
import type { Steps } from "@rollcall/time"
import * as Result from "effect/Result"
import type { VirtualResource } from "../../core/admission/VirtualResource.ts"
import { namespaceMismatch } from "../../core/pipeline/bodies.ts"
import type { Call } from "../call/Call.ts"
import { sendStatus } from "../call/respond.ts"
import type { WriteQuery } from "../request/Query.ts"
import type { ResourceContext } from "./passToServer.ts"
import { sendShaped } from "./shape.ts"

interface Posted {
  readonly object: KubeObject
  readonly warnings: ReadonlyArray<string>
}

/**
 * Serves the create of an object that is answered and not stored. It passes the steps of any create before the storage:
 * its metadata is cleared and completed, and its creator owns its fields. Upstream: endpoints/handlers/create.go.
 */
export const serveVirtual = function* (
  context: ResourceContext,
  call: Call,
  virtual: VirtualResource,
  { dryRun = false, fieldManager }: WriteQuery,
  { object: given, warnings }: Posted
): Steps<void> {
  const posted = withoutEmpties(given)
  const { name, namespace } = call.info
  const { subresource } = virtual
  const mismatch = namespaceMismatch(posted, namespace)
  if (mismatch !== undefined) return sendStatus(call, mismatch, warnings)
  const metadata = subresource === undefined ? clearedMetadata(posted.metadata ?? {}, namespace) : posted.metadata
  const written: KubeObject = { ...posted, metadata: writtenMetadata(metadata ?? {}) }
  const cleared = virtual.defaults?.(written) ?? written
  const manager = managerName(fieldManager, call.identity.userAgent)
  const write = { definition: managedKindOf(virtual), subresource: subresource?.name, manager }
  const { ownership } = context.server
  const owned = ownership === undefined ? cleared : yield* ownership.createdInSteps(write, cleared)
  const texts = [...warnings]
  const warn = (text: string) => void texts.push(text)
  const posting = { user: call.identity, namespace, name, object: owned, dryRun, warn, fieldManager }
  const answer = yield* context.server.createVirtual(virtual, posting)
  if (Result.isFailure(answer)) return sendStatus(call, answer.failure, texts)
  sendShaped(call, undefined, 201, answer.success, texts, context)
}

/** Returns the metadata without what only the server sets. Upstream: registry/rest/meta.go, WipeObjectMetaSystemFields. */
const clearedMetadata = (given: ObjectMeta, namespace: string): ObjectMeta => {
  const {
    creationTimestamp: _,
    deletionGracePeriodSeconds: _grace,
    deletionTimestamp: _deletion,
    namespace: _namespace,
    selfLink: _link,
    uid: _uid,
    ...rest
  } = given
  return namespace === "" ? rest : { ...rest, namespace }
}

/** Returns the metadata as Go writes it: structs in the order of their fields, without empty ones, and maps sorted. */
const writtenMetadata = (given: ObjectMeta): ObjectMeta => {
  const type = wireTypeNamed("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")
  if (type === undefined) return given
  const written = inStructOrder({ type: "message", message: type }, given) as Readonly<Record<string, unknown>>
  return Object.fromEntries(Object.entries(written).filter(([, value]) => !isEmpty(value)))
}

const inStructOrder = (type: WireType, value: unknown): unknown => {
  if (type.type === "list" && Array.isArray(value)) return value.map((item) => inStructOrder(type.items, item))
  if (type.type !== "message" || !isFields(value)) return withSortedKeys(value)
  const fields = [...type.message.fields.values()].filter(({ name }) => value[name] !== undefined)
  return Object.fromEntries(fields.map((field) => [field.name, inStructOrder(field.type, value[field.name])]))
}

const isEmpty = (value: unknown): boolean =>
  !value ||
  (typeof value === "object" && !Array.isArray(value) && Object.keys(value).length === 0) ||
  (Array.isArray(value) && value.length === 0)

const noSubresources: ManagedKind["subresources"] = new Set()
const managedKinds = new WeakMap<VirtualResource, ManagedKind>()

/** Returns the kind of the posted objects for field ownership: the same object for each resource. */
const managedKindOf = (virtual: VirtualResource): ManagedKind => {
  const known = managedKinds.get(virtual)
  if (known !== undefined) return known
  const { resource } = virtual
  const made = { resource, apiVersion: `${resource.group}/${resource.version}`, subresources: noSubresources }
  managedKinds.set(virtual, made)
  return made
}

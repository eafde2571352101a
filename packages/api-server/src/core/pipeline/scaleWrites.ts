import { type KubeObject, type ObjectMeta, type Status, unknownError } from "@rollcall/api"
import { type Scale, scaleOf, UNSET_REPLICAS, withScale } from "@rollcall/api/scale"
import { isFields, valueAt } from "@rollcall/api/values"
import type { PatchRequest } from "@rollcall/cluster"
import {
  entriesAfterScale,
  entriesOfScale,
  type FieldOwnership,
  type ManagedKind,
  replicasPath,
  scaleVersion
} from "@rollcall/field-ownership"
import type { Steps } from "@rollcall/time"
import * as Result from "effect/Result"
import { isCustom, type KindDefinition } from "../registry/KindDefinition.ts"
import type { Target } from "../registry/KindState.ts"
import { addressMismatch } from "./bodies.ts"
import type { Exchange } from "./Exchange.ts"
import { type Change, rewrite } from "./rewrite.ts"
import type { ServerCore } from "./ServerCore.ts"
import { PATCH_ATTEMPTS } from "./writeOptions.ts"

/** The kind as which writes through a scale subresource have their field managers recorded. */
const scaleKind: ManagedKind = {
  apiVersion: scaleVersion,
  resource: { group: "autoscaling", version: "v1", kind: "Scale" },
  subresources: new Set()
}

type Requested = (scale: KubeObject, stored: ObjectMeta) => Result.Result<unknown, Status>

/** Writes an object through its scale subresource. `requested` returns the new Scale for the present one. */
export const rewriteScale = (core: ServerCore, exchange: Exchange, target: Target, requested: Requested) => {
  const { definition } = target.state
  const change = function* (stored: KubeObject): Steps<Result.Result<KubeObject, Status>> {
    const live = liveScale(definition, stored)
    const given = requested(live, stored.metadata)
    if (Result.isFailure(given)) return Result.fail(given.failure)
    const scale = given.success
    const mismatch = isFields(scale) ? scaleMismatch(scale.metadata, target) : undefined
    if (mismatch !== undefined) return Result.fail(mismatch)
    const changed = withScale(definition, stored, scale)
    if (Result.isFailure(changed) || core.ownership === undefined) return changed
    return yield* ownedInSteps(core.ownership, target, changed.success, stored, live)
  }
  finishScale(core, exchange, target, change)
}

/** Applies a configuration to the Scale of an object. */
export const applyToScale = (
  core: ServerCore,
  ownership: FieldOwnership,
  exchange: Exchange,
  target: Target,
  config: KubeObject,
  { force = false }: PatchRequest,
  strictRefusal: () => Status | undefined
) => {
  const { definition } = target.state
  const { manager = "unknown" } = target
  const custom = isCustom(definition)
  const write = { definition: scaleKind, subresource: "scale", manager, ...(custom && { unconvertible }) }
  const change = function* (stored: KubeObject): Steps<Result.Result<KubeObject, Status>> {
    const live = liveScale(definition, stored)
    if (custom && live.metadata.managedFields === undefined) return Result.fail(unowned)
    const applied = yield* ownership.appliedInSteps(write, live, config, force)
    if (Result.isFailure(applied)) return applied
    const scale = applied.success
    const refusal = strictRefusal() ?? scaleMismatch(scale.metadata, target)
    if (refusal !== undefined) return Result.fail(refusal)
    const { managedFields } = scale.metadata
    const changed = withScale(definition, stored, scale)
    return Result.map(changed, (object) => withScaleEntries(definition, object, stored, managedFields))
  }
  finishScale(core, exchange, target, change)
}

/** Why Go cannot convert the Scale of a custom resource that an apply has changed: it takes it for the resource. */
const unconvertible = `request to convert CR to an invalid group/version: ${scaleVersion}`

const unowned = unknownError(
  `failed to create manager for existing fields: failed to convert live object (/; ${scaleVersion}, Kind=Scale) to proper version: ${unconvertible}`
)

const finishScale = (core: ServerCore, exchange: Exchange, target: Target, change: Change) => {
  // `change` records the owners, so that the write itself, without a manager, does not.
  const { manager: _, ...unowned } = target
  const { scale: paths } = target.state.definition
  rewrite(core, exchange.identity, unowned, change, { attempts: PATCH_ATTEMPTS, exchange }, (result) => {
    if (Result.isFailure(result)) exchange.refuse(result.failure)
    else exchange.ok(scaleOf(result.success, paths), 200, result.success)
  })
}

const pathOf = ({ scale }: KindDefinition) => scale?.specReplicas ?? replicasPath

/** Returns the Scale of a stored object that a write changes: with managedFields, and with a mark for unset replicas. */
const liveScale = (definition: KindDefinition, stored: KubeObject): Scale => {
  const { scale: paths } = definition
  const scale = scaleOf(stored, paths)
  const managedFields = entriesOfScale(stored.metadata.managedFields, pathOf(definition))
  const isUnset = paths !== undefined && valueAt(stored, paths.specReplicas) === undefined
  return {
    ...scale,
    metadata: { ...scale.metadata, ...(managedFields && { managedFields }) },
    spec: isUnset ? { replicas: UNSET_REPLICAS } : scale.spec
  }
}

/** Returns the changed object with the owners after an update of its Scale. */
const ownedInSteps = function* (
  ownership: FieldOwnership,
  { manager = "unknown", state: { definition } }: Target,
  changed: KubeObject,
  stored: KubeObject,
  live: Scale
): Steps<Result.Result<KubeObject, Status>> {
  const { spec } = scaleOf(changed, definition.scale)
  const write = { definition: scaleKind, subresource: "scale", manager }
  const written = yield* ownership.updatedInSteps(write, { ...live, spec } as Scale, live)
  return Result.succeed(withScaleEntries(definition, changed, stored, written.metadata.managedFields))
}

/** Returns the changed object with its managedFields after those of its Scale became `written`. */
const withScaleEntries = (
  definition: KindDefinition,
  changed: KubeObject,
  { metadata: { managedFields: before } }: KubeObject,
  written: ObjectMeta["managedFields"]
): KubeObject => {
  const after = entriesAfterScale(before, written, pathOf(definition), definition.apiVersion)
  const { managedFields: _, ...metadata } = changed.metadata
  return { ...changed, metadata: { ...metadata, ...(after && { managedFields: after }) } }
}

/** Returns the error if a Scale has not the name and namespace of the request's path. */
export const scaleMismatch = (metadata: unknown, { name, namespace }: Pick<Target, "name" | "namespace">) =>
  addressMismatch(
    { apiVersion: scaleVersion, kind: "Scale", metadata: (isFields(metadata) ? metadata : {}) as ObjectMeta },
    namespace,
    name
  )

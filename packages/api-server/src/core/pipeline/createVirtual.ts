import { genericResponse, type KubeObject, type Status } from "@rollcall/api"
import type { CreateRequest } from "@rollcall/cluster"
import { isSteps, type Steps } from "@rollcall/time"
import * as Result from "effect/Result"
import type { VirtualCreate, VirtualResource } from "../admission/VirtualResource.ts"
import { attributesOf } from "./AdmissionChains.ts"
import { namespaceRefusal } from "./namespaces.ts"
import type { ServerCore } from "./ServerCore.ts"

/** A create of an object that is answered and not stored. */
export interface VirtualWrite extends VirtualCreate {
  readonly fieldManager?: string | undefined
}

type Answer = Result.Result<KubeObject, Status>

/** Answers such a create, after the admission plugins where the resource has them. */
export const createVirtual = (core: ServerCore) =>
  function* (virtual: VirtualResource, write: VirtualWrite): Steps<Answer> {
    const { admission } = virtual
    const admitted = admission === undefined ? Result.succeed(write.object) : yield* admit(core, admission, write)
    return Result.isFailure(admitted) ? admitted : virtual.create({ ...write, object: admitted.success })
  }

/** Returns the object as the validating plugins saw it, or the refusal. */
const admit = function* (
  core: ServerCore,
  { kind, prepare, shown, subresource }: NonNullable<VirtualResource["admission"]>,
  write: VirtualWrite
): Steps<Answer> {
  const { dryRun, fieldManager, name, namespace, user, warn = () => undefined } = write
  const state = core.registry.kind(kind)
  if (state === undefined) return Result.fail(genericResponse(404))
  const missing = namespaceRefusal(core, { state, namespace, name, subresource: undefined, dryRun })
  if (missing !== undefined) return Result.fail(missing)
  const chain = core.admission.get(kind, "create", subresource)
  if (chain === undefined) return prepare(write)
  const object = shown(write.object)
  const manager = fieldManager === undefined ? {} : { fieldManager }
  const request: CreateRequest = { verb: "create", kind, namespace, name, object, dryRun, ...manager }
  const exchange = { request, isAnswered: false, warn, annotate: () => undefined }
  const target = { state, namespace, name, subresource, dryRun }
  const attributes = attributesOf(user, target, "create", object, undefined, exchange)
  const mutating = chain.mutate(attributes)
  const mutated = isSteps(mutating) ? yield* mutating : mutating
  if (Result.isFailure(mutated)) return Result.fail(mutated.failure)
  const prepared = prepare({ ...write, object: mutated.success ?? object })
  if (Result.isFailure(prepared)) return prepared
  const refusing = chain.validate({ ...attributes, object: prepared.success })
  const refusal = isSteps(refusing) ? yield* refusing : refusing
  return refusal === undefined ? prepared : Result.fail(refusal)
}

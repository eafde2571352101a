import {
  type Binding,
  badRequest,
  conflict,
  formatTime,
  genericResponse,
  type KubeObject,
  type Pod,
  type PodStatus,
  podScheduled,
  type Status,
  success,
  unknownError,
  updatePodCondition
} from "@rollcall/api"
import { fieldErrorsText, validateBinding } from "@rollcall/api/validation"
import { isFields } from "@rollcall/api/values"
import type { CreateRequest } from "@rollcall/cluster"
import * as Result from "effect/Result"
import { BINDINGS } from "../registry/bindingsView.ts"
import type { KindState, Target } from "../registry/KindState.ts"
import { attributesOf } from "./AdmissionChains.ts"
import { admit } from "./admit.ts"
import { namespaceMismatch } from "./bodies.ts"
import type { Exchange } from "./Exchange.ts"
import { asPosted } from "./metadata.ts"
import { namespaceRefusal } from "./namespaces.ts"
import { ownedByCaller, unstoredKind } from "./ownedByCaller.ts"
import { type Change, preconditionRefusal, rewrite } from "./rewrite.ts"
import type { ServerCore } from "./ServerCore.ts"

/** The maximum number of tries when others write the pod concurrently. */
const ATTEMPTS = 100
const resource = { group: "", resource: "pods/binding" }

/**
 * POST of pods/binding, or of `bindings`: the scheduler assigns a pod to a node. Upstream:
 * pkg/registry/core/pod/storage/storage.go, BindingREST and LegacyBindingREST.
 */
export const bind = (core: ServerCore, exchange: Exchange, state: KindState, request: CreateRequest) => {
  const { namespace = "" } = request
  const given = bindingOf(request.object)
  if (given === undefined) return exchange.refuse(genericResponse(400))
  const elsewhere = namespaceMismatch(given, namespace)
  if (elsewhere !== undefined) return exchange.refuse(elsewhere)
  // The path of `bindings` names no pod, and the uid of its objects is no precondition.
  const isNamed = request.subresource === "binding"
  const name = (isNamed ? request.name : given.metadata.name) ?? ""
  const binding = isNamed ? given : (withoutUid(asPosted(given)) as typeof given)
  const subresource = isNamed ? "binding" : undefined
  const target: Target = { state, namespace, name, subresource, dryRun: request.dryRun === true }
  const missing = namespaceRefusal(core, target)
  if (missing !== undefined) return exchange.refuse(missing)
  const owned = ownedByCaller(core, exchange, request, managedKind, target, binding)
  const attributes = attributesOf(exchange.identity, target, "create", owned, undefined, exchange)
  const bindOrRefuse = (admitted: Result.Result<KubeObject | undefined, Status>) => {
    if (Result.isFailure(admitted)) return exchange.refuse(admitted.failure)
    const bound = admitted.success as Binding
    const pod = { ...target, state: state.base?.state ?? state, name: bound.metadata.name ?? "" }
    bindAdmitted(core, exchange, { ...pod, subresource: "binding" }, bound)
  }
  admit(core, attributes, bindOrRefuse, (object) => {
    const refusal = bindingRefusal(object as Binding, isNamed ? name : undefined)
    return refusal === undefined ? Result.succeed(object) : Result.fail(refusal)
  })
}

const managedKind = unstoredKind(BINDINGS)

const withoutUid = (object: KubeObject): KubeObject => {
  const { uid: _, ...metadata } = object.metadata
  return { ...object, metadata }
}

/** Returns why a binding cannot bind the pod of the name in its path, if that has one. */
const bindingRefusal = (binding: Binding, name: string | undefined): Status | undefined => {
  const own = binding.metadata.name ?? ""
  if (name !== undefined && own !== name) return badRequest("name in URL does not match name in Binding object")
  const errors = validateBinding(binding)
  if (errors.length > 0) return unknownError(fieldErrorsText(errors))
  return own === "" ? badRequest("Name parameter required.") : undefined
}

const bindAdmitted = (core: ServerCore, exchange: Exchange, target: Target, binding: Binding) => {
  const { name } = target
  const key = target.state.cache.keyOf(target.namespace, name)
  const { resourceVersion = "", uid = "" } = binding.metadata
  const change: Change = (stored) => {
    const refusal = preconditionRefusal(target, key, stored.metadata, { metadata: { resourceVersion, uid } })
    return refusal === undefined ? boundPod(stored as Pod, binding, name, core.timers.now()) : Result.fail(refusal)
  }
  rewrite(core, exchange.identity, target, change, { attempts: ATTEMPTS, internal: true }, (result) => {
    if (Result.isFailure(result)) exchange.refuse(result.failure)
    else exchange.ok(success(undefined, 201), 201, result.success)
  })
}

/** Returns the body as a Binding, or undefined if it has no target or no metadata. */
const bindingOf = (body: unknown): Binding | undefined =>
  isFields(body) && isFields(body.target) && isFields(body.metadata) ? (body as typeof body & Binding) : undefined

/** Go writes null for a time that it has not. */
const scheduled = { type: podScheduled, status: "True", lastProbeTime: null } as const

/** Returns the bound pod, or why it cannot be bound. */
const boundPod = (pod: Pod, binding: Binding, name: string, nowMs: number): Result.Result<KubeObject, Status> => {
  const refuse = (why: string) => Result.fail(conflict(resource, name, why))
  if (pod.metadata.deletionTimestamp !== undefined)
    return refuse(`pod ${name} is being deleted, cannot be assigned to a host`)
  if (pod.spec.nodeName) return refuse(`pod ${name} is already assigned to node ${JSON.stringify(pod.spec.nodeName)}`)
  if ((pod.spec.schedulingGates?.length ?? 0) > 0) return refuse(`pod ${name} has non-empty .spec.schedulingGates`)
  const { annotations, labels } = binding.metadata
  const metadata = {
    ...pod.metadata,
    ...(annotations === undefined ? {} : { annotations: { ...pod.metadata.annotations, ...annotations } }),
    ...(labels === undefined ? {} : { labels: { ...pod.metadata.labels, ...labels } })
  }
  // The node that the scheduler proposed is cleared (feature gate ClearingNominatedNodeNameAfterBinding).
  const { nominatedNodeName: _, ...status } = pod.status ?? {}
  return Result.succeed({
    ...pod,
    metadata,
    spec: { ...pod.spec, nodeName: binding.target.name ?? "" },
    status: updatePodCondition<PodStatus>(status, scheduled, formatTime(nowMs))
  } satisfies Pod)
}

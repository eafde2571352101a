import {
  badRequest,
  type DeleteOptions,
  formatTime,
  groupResourceOf,
  invalid,
  type KubeObject,
  notFound,
  type Pod,
  type PodDisruptionBudget,
  podDisruptionTarget,
  type Status,
  success,
  timeout,
  unknownError,
  updatePodCondition
} from "@rollcall/api"
import { isFields } from "@rollcall/api/values"
import type { CreateRequest } from "@rollcall/cluster"
import * as Result from "effect/Result"
import { deleteOptionsRefusal, preconditionRefusal } from "../deletion/Deletion.ts"
import { budgetInProgress, decideEviction, withDisruption } from "../deletion/decideEviction.ts"
import type { Target } from "../registry/KindState.ts"
import { attributesOf } from "./AdmissionChains.ts"
import { admit } from "./admit.ts"
import { namespaceMismatch } from "./bodies.ts"
import { refuseOnError } from "./continuations.ts"
import type { Exchange } from "./Exchange.ts"
import { namespaceRefusal } from "./namespaces.ts"
import { ownedByCaller, unstoredKind } from "./ownedByCaller.ts"
import { removeObject } from "./remove.ts"
import { rewrite } from "./rewrite.ts"
import type { Handler, ServerCore } from "./ServerCore.ts"

/**
 * The maximum number of tries for a budget that others write concurrently. Upstream: eviction.go,
 * MaxRetriesWhenConflict.
 */
const BUDGET_ATTEMPTS = 20
/** The maximum number of tries to change, and then to delete, a pod that others write concurrently. */
const ATTEMPTS = 100

const STORE_ERROR = "ignoreStoreReadErrorWithClusterBreakingPotential"
const noStoreError = {
  type: "FieldValueInvalid",
  field: `deleteOptions.${STORE_ERROR}`,
  badValue: true,
  detail: "can not be set for pod eviction, try after removing the option"
} as const

/** POST of pods/eviction: deletes the pod if its disruption budget allows. */
export const evict: Handler<CreateRequest> = (core, exchange, state, request) => {
  const { name = "", namespace = "" } = request
  const eviction = isFields(request.object) ? request.object : {}
  const metadata = isFields(eviction.metadata) ? eviction.metadata : {}
  const elsewhere = namespaceMismatch({ metadata }, namespace)
  if (elsewhere !== undefined) return exchange.refuse(elsewhere)
  const options: DeleteOptions = isFields(eviction.deleteOptions) ? eviction.deleteOptions : {}
  const dryRun = request.dryRun === true || (options.dryRun ?? []).includes("All")
  const target: Target = { state, namespace, name, subresource: "eviction", dryRun }
  const missing = namespaceRefusal(core, target)
  if (missing !== undefined) return exchange.refuse(missing)
  const given = eviction as typeof eviction & KubeObject
  const object = ownedByCaller(core, exchange, request, managedKind, target, given)
  const attributes = attributesOf(exchange.identity, target, "create", object, undefined, exchange)
  const evictOrRefuse = (admitted: Result.Result<KubeObject | undefined, Status>) => {
    if (Result.isFailure(admitted)) return exchange.refuse(admitted.failure)
    const changed = admitted.success as Eviction
    useDisruption(core, exchange, target, BUDGET_ATTEMPTS, (refusal, unready) => {
      if (refusal !== undefined) return exchange.refuse(refusal)
      markAndRemove(core, exchange, target, changed.deleteOptions ?? {}, unready)
    })
  }
  admit(core, attributes, evictOrRefuse, (admitted) => {
    const refusal = evictionRefusal(admitted as Eviction, name, request)
    return refusal === undefined ? Result.succeed(withDryRun(admitted as Eviction, request)) : Result.fail(refusal)
  })
}

type Eviction = KubeObject & { readonly deleteOptions?: DeleteOptions }

const managedKind = unstoredKind({ group: "policy", version: "v1", kind: "Eviction" })

/** Returns the eviction with the dry run of its request. Upstream: propagateDryRun. */
const withDryRun = (eviction: Eviction, { dryRun }: CreateRequest): Eviction => {
  const { deleteOptions } = eviction
  if (dryRun !== true || !isFields(deleteOptions) || (deleteOptions.dryRun ?? []).length > 0) return eviction
  return { ...eviction, deleteOptions: { ...deleteOptions, dryRun: ["All"] } }
}

/** Returns why an eviction cannot evict the pod of this name. */
const evictionRefusal = (
  { deleteOptions, metadata }: KubeObject & { readonly deleteOptions?: unknown },
  name: string,
  request: CreateRequest
): Status | undefined => {
  if (metadata?.name !== name) return badRequest("name in URL does not match name in Eviction object")
  if (!isFields(deleteOptions)) return undefined
  if (deleteOptions[STORE_ERROR] === true) return invalid({ group: "policy", kind: "Eviction" }, name, [noStoreError])
  const { dryRun: modes = [] } = deleteOptions as DeleteOptions
  if (request.dryRun !== true || modes.length === 0 || (modes.length === 1 && modes[0] === "All")) return undefined
  return unknownError(`Non-matching dry-run options in request and content: [All] and [${modes.join(" ")}]`)
}

/** A pod that its budget leaves to evictions because it is not ready. */
interface Unready {
  /** The version of the pod that is not ready. */
  readonly resourceVersion: string
  /** The name of the budget. */
  readonly budget: string
}

type UseDisruption = (
  core: ServerCore,
  exchange: Exchange,
  target: Target,
  attempts: number,
  done: (refusal: Status | undefined, unready?: Unready) => void
) => void

/**
 * Uses one disruption of the budget that covers the pod, if there is one; retries if the budget changed concurrently.
 * Calls `done` with the reason if the pod must not be evicted, and with undefined if it may be deleted.
 */
const useDisruption: UseDisruption = (core, exchange, target, attempts, done) => {
  const { name, namespace, state } = target
  const pod = state.cache.get(namespace, name)?.object as Pod | undefined
  if (pod === undefined) return done(notFound(groupResourceOf(state.definition.resource), name))
  const budgets: Array<PodDisruptionBudget> = []
  const budgetState = core.registry.kinds.PodDisruptionBudget
  budgetState.cache.visit(namespace, (object) => budgets.push(object as PodDisruptionBudget))
  const decision = decideEviction(pod, budgets)
  if (decision._tag === "Refuse") return done(decision.status)
  if (decision._tag === "Delete") {
    const { resourceVersion = "" } = pod.metadata
    const { name: unreadyIn } = decision.unreadyIn?.metadata ?? {}
    return done(undefined, unreadyIn === undefined ? undefined : { resourceVersion, budget: unreadyIn })
  }

  const { budget } = decision
  const budgetTarget = {
    ...target,
    state: budgetState,
    name: budget.metadata.name ?? "",
    subresource: "status"
  } as const
  if (target.dryRun) return done(undefined)
  const next = withDisruption(budget, name, formatTime(core.timers.now()))
  // The write requires the resourceVersion that was checked: a newer budget must be checked again.
  rewrite(
    core,
    exchange.identity,
    budgetTarget,
    () => Result.succeed(next),
    { attempts: 1, internal: true },
    (result) => {
      if (Result.isSuccess(result)) return done(undefined)
      if (result.failure.reason !== "Conflict") return done(result.failure)
      if (attempts <= 1)
        return done(timeout(`couldn't update PodDisruptionBudget "${budget.metadata.name}" due to conflicts`, 10))
      core.registry.whenCurrent(
        refuseOnError(core, done, () => useDisruption(core, exchange, target, attempts - 1, done))
      )
    }
  )
}

type MarkAndRemove = (
  core: ServerCore,
  exchange: Exchange,
  target: Target,
  given: DeleteOptions,
  unready: Unready | undefined
) => void

/**
 * Sets the pod's DisruptionTarget condition, then deletes it. Preconditions are those of the pod before. The version of
 * an unready pod takes the place of the caller's: the pod may be ready in another one.
 */
const markAndRemove: MarkAndRemove = (core, exchange, target, given, unready) => {
  const { identity } = exchange
  const options: DeleteOptions =
    unready === undefined
      ? given
      : { ...given, preconditions: { ...given.preconditions, resourceVersion: unready.resourceVersion } }
  const isOwnConflict = ({ reason }: Status) =>
    unready !== undefined && reason === "Conflict" && given.preconditions?.resourceVersion === undefined
  const refuse = (status: Status) =>
    exchange.refuse(isOwnConflict(status) ? budgetInProgress(unready?.budget ?? "") : status)
  const condition = {
    type: podDisruptionTarget,
    status: "True",
    // Go writes null for a time that it has not.
    lastProbeTime: null,
    reason: "EvictionByEvictionAPI",
    message: "Eviction API: evicting"
  } as const
  const withDisruptionTarget = (stored: Pod): Pod => ({
    ...stored,
    status: updatePodCondition(stored.status ?? {}, condition, formatTime(core.timers.now()))
  })
  const { resource } = target.state.definition
  const change = (stored: KubeObject) => {
    const refusal = preconditionRefusal(resource, stored, options)
    return refusal === undefined ? Result.succeed(withDisruptionTarget(stored as Pod)) : Result.fail(refusal)
  }
  const removePod = (deleteOptions: DeleteOptions) => {
    const refusal = deleteOptionsRefusal(deleteOptions)
    if (refusal !== undefined) return exchange.refuse(refusal)
    removeObject(core, identity, target, deleteOptions, ATTEMPTS, (removal) => {
      if (Result.isFailure(removal)) refuse(removal.failure)
      else exchange.ok(success(undefined, 201), 201, removal.success.object)
    })
  }
  if (target.dryRun) return removePod(options)
  rewrite(core, identity, target, change, { attempts: ATTEMPTS, internal: true }, (result) => {
    if (Result.isFailure(result)) return refuse(result.failure)
    const { preconditions } = options
    const { resourceVersion = "" } = result.success.metadata
    // The condition made a new version of the pod.
    removePod(
      preconditions?.resourceVersion === undefined
        ? options
        : { ...options, preconditions: { ...preconditions, resourceVersion } }
    )
  })
}

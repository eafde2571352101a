import { formatTime, keyOf, type Pod, type ResourceClaim } from "@rollcall/api"
import { type Answer, type ClusterError, isConflict } from "@rollcall/cluster"
import type { Timer } from "@rollcall/time"
import * as Result from "effect/Result"
import type { DeviceBinding } from "../cache/PodDevices.ts"
import { hasBindingConditions, isOverdue, readinessOf } from "./bindingConditions.ts"
import type { ClaimTracker } from "./ClaimTracker.ts"
import { type ExtendedClaims, extendedWrites } from "./ExtendedClaims.ts"
import { FINALIZER } from "./finalizer.ts"
import type { AllocationResult } from "./results.ts"

/** Upstream: retry.DefaultRetry of client-go, without its jitter. */
const MAX_TRIES = 5
const RETRY_MS = 10

/** How often kube-scheduler looks whether devices are ready. */
const CHECK_MS = 5000

export const isReservedFor = ({ status }: ResourceClaim, { metadata }: Pod): boolean =>
  status?.reservedFor?.some(({ uid }) => uid === metadata.uid) === true

const withFinalizer = (claim: ResourceClaim): ResourceClaim => {
  const { finalizers = [] } = claim.metadata
  return { ...claim, metadata: { ...claim.metadata, finalizers: [...finalizers, FINALIZER] } }
}

/** The claim with its allocation, and the pod as a consumer. */
const bound = (claim: ResourceClaim, pod: Pod, allocation: AllocationResult, now: number): ResourceClaim => {
  const { name = "", uid = "" } = pod.metadata
  const reservedFor = [...(claim.status?.reservedFor ?? []), { resource: "pods", name, uid }]
  const timed = { ...allocation, allocationTimestamp: allocation.allocationTimestamp ?? formatTime(now) }
  return { ...claim, status: { ...claim.status, allocation: timed, reservedFor } }
}

/** Writes what was decided for the claims of one pod, one after the other. Upstream: PreBind, bindClaim of dynamicresources.go. */
export class BindClaims {
  private readonly task: DeviceBinding
  private readonly tracker: ClaimTracker
  private readonly timeoutMs: number
  private readonly extended: ExtendedClaims
  private timer: Timer | undefined
  private cancel: () => void = () => undefined
  private isStopped = false

  constructor(task: DeviceBinding, tracker: ClaimTracker, timeoutMs: number, extended: ExtendedClaims) {
    this.task = task
    this.tracker = tracker
    this.timeoutMs = timeoutMs
    this.extended = extended
  }

  start(claims: ReadonlyArray<ResourceClaim>): void {
    this.bindFrom(claims, 0)
  }

  readonly stop = (): void => {
    this.isStopped = true
    this.cancel()
    if (this.timer !== undefined) this.task.timers.cancel(this.timer)
  }

  private end(problem?: string): void {
    if (this.isStopped) return
    this.stop()
    this.task.done(problem)
  }

  private bindFrom(claims: ReadonlyArray<ResourceClaim>, index: number): void {
    const claim = claims[index]
    if (claim === undefined) this.bindExtended((created) => this.awaitDevices([...claims, ...created]))
    else if (isReservedFor(claim, this.task.pod.pod)) this.bindFrom(claims, index + 1)
    else this.bindClaim(claim, this.tracker.pendingAllocation(claim), 1, () => this.bindFrom(claims, index + 1))
  }

  /** Creates the claim for the pod's extended resources, if it has one, and names it in the pod's status. */
  private bindExtended(next: (created: ReadonlyArray<ResourceClaim>) => void): void {
    const { connection, pod } = this.task
    const reserved = this.extended.of(pod.pod)
    const decided = reserved && this.tracker.pendingAllocation(reserved.claim)
    if (reserved === undefined || decided === undefined) {
      next([])
      return
    }
    const { create, report } = extendedWrites(reserved, pod.pod)
    const ask = (request: Parameters<typeof connection.send>[0], what: string, then: (answer: ResourceClaim) => void) =>
      this.send(() =>
        connection.send(request, (answer) => {
          if (this.isStopped) return
          if (Result.isFailure(answer)) this.end(`${what}: ${answer.failure.message}`)
          else then(answer.success as ResourceClaim)
        })
      )
    ask(create, `create claim for extended resources ${keyOf(reserved.claim)}`, (created) => {
      this.tracker.set(created)
      this.bindClaim(created, decided, 1, () => {
        this.extended.forget(pod.pod)
        const what = `update pod ${keyOf(pod.pod)} ExtendedResourceClaimStatus`
        ask(report(created.metadata.name ?? ""), what, () => next([created]))
      })
    })
  }

  private bindClaim(claim: ResourceClaim, decided: AllocationResult | undefined, attempt: number, next: () => void) {
    const fault = (text: string) => this.end(`claim ${keyOf(claim)} got ${text} in the meantime`)
    if (claim.metadata.deletionTimestamp !== undefined) return fault("deleted")
    const present = claim.status?.allocation
    if (decided !== undefined && present !== undefined) return fault("allocated elsewhere")
    const allocation = decided ?? present
    if (allocation === undefined) return fault("deallocated elsewhere")
    const failed = (what: string, error: ClusterError) => {
      if (isConflict(error) && attempt < MAX_TRIES) this.retry(claim, decided, attempt + 1, next)
      else this.end(`${what} claim ${keyOf(claim)}: ${error.message}`)
    }
    if (decided !== undefined && claim.metadata.finalizers?.includes(FINALIZER) !== true) {
      this.write(withFinalizer(claim), undefined, (answer) => {
        if (Result.isFailure(answer)) failed("add finalizer to", answer.failure)
        else this.bindClaim(answer.success as ResourceClaim, decided, attempt, next)
      })
      return
    }
    this.write(bound(claim, this.task.pod.pod, allocation, this.task.timers.now()), "status", (answer) => {
      const what = decided === undefined ? "add reservation to" : "add allocation and reservation to"
      if (Result.isFailure(answer)) {
        failed(what, answer.failure)
        return
      }
      this.tracker.set(answer.success as ResourceClaim)
      this.tracker.release(claim)
      next()
    })
  }

  private write(object: ResourceClaim, subresource: "status" | undefined, reply: (answer: Answer) => void): void {
    const { name = "", namespace = "" } = object.metadata
    const address = { verb: "update", kind: "ResourceClaim", name, namespace, object } as const
    this.send(() =>
      this.task.connection.send(subresource === undefined ? address : { ...address, subresource }, (answer) => {
        if (!this.isStopped) reply(answer)
      })
    )
  }

  private send(send: () => () => void): void {
    const cancel = send()
    if (!this.isStopped) this.cancel = cancel
  }

  private retry(claim: ResourceClaim, decided: AllocationResult | undefined, attempt: number, next: () => void): void {
    const { name = "", namespace = "" } = claim.metadata
    this.timer = this.task.timers.after(RETRY_MS, () =>
      this.send(() =>
        this.task.connection.send({ verb: "get", kind: "ResourceClaim", name, namespace }, (answer) => {
          if (this.isStopped) return
          if (Result.isSuccess(answer)) this.bindClaim(answer.success as ResourceClaim, decided, attempt, next)
          else this.end(`get updated claim ${keyOf(claim)} after conflict: ${answer.failure.message}`)
        })
      )
    )
  }

  /** Waits until the devices are ready, as far as they say when they are. */
  private awaitDevices(claims: ReadonlyArray<ResourceClaim>): void {
    const { node, note, timers } = this.task
    const current = () =>
      claims.map(({ metadata: { name = "", namespace = "" } }) => this.tracker.find(namespace, name))
    if (!current().some((claim) => typeof claim !== "string" && hasBindingConditions(claim))) {
      this.end()
      return
    }
    const deadline = timers.now() + this.timeoutMs
    note("BindingConditionsPending", `waiting for binding conditions for device on node ${node}`)
    const check = (): void => {
      const state = this.stateOf(current())
      if (state !== "Waiting") this.end(state === "Ready" ? undefined : state.failure)
      else if (timers.now() >= deadline) this.end("device binding timeout: context deadline exceeded")
      else this.timer = timers.after(Math.min(CHECK_MS, deadline - timers.now()), check)
    }
    check()
  }

  private stateOf(claims: ReadonlyArray<ResourceClaim | string>): ReturnType<typeof readinessOf> {
    for (const claim of claims) {
      if (typeof claim === "string") return { failure: claim }
      const readiness = readinessOf(claim)
      if (readiness === "Ready") continue
      if (readiness !== "Waiting") return readiness
      const isLate = isOverdue(claim, this.task.timers.now(), this.timeoutMs)
      return isLate ? { failure: `device binding timeout: claim=${claim.metadata.name}` } : readiness
    }
    return "Ready"
  }
}

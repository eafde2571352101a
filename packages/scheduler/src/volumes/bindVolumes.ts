import {
  annotationBoundByController,
  annotationSelectedNode,
  isVolumeOf,
  type PersistentVolume,
  type PersistentVolumeClaim
} from "@rollcall/api"
import { type Answer, referenceTo } from "@rollcall/cluster"
import * as Result from "effect/Result"
import type { BindingTask } from "../BindingPlugin.ts"
import type { VolumePlan } from "./AssumedVolumes.ts"
import { awaitBindings } from "./awaitBindings.ts"
import { checkBindings } from "./checkBindings.ts"

/**
 * The volume bound to the claim; annotated as bound by the controller, unless its author pre-bound it.
 * Upstream: pv_helpers.go GetBindVolumeToClaim.
 */
export const boundTo = (volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume => {
  const { annotations } = volume.metadata
  const metadata = isVolumeOf(volume, claim)
    ? volume.metadata
    : { ...volume.metadata, annotations: { ...annotations, [annotationBoundByController]: "yes" } }
  return { ...volume, metadata, spec: { ...volume.spec, claimRef: referenceTo(claim) } }
}

/** The claim, annotated with the node that its volume must be accessible from. */
export const selectedFor = (claim: PersistentVolumeClaim, node: string): PersistentVolumeClaim => ({
  ...claim,
  metadata: { ...claim.metadata, annotations: { ...claim.metadata.annotations, [annotationSelectedNode]: node } }
})

/**
 * Writes, one after the other, the bindings and provisioning requests of a pod's volumes, then waits until all of its
 * claims are bound. Returns a function that cancels. Upstream: pkg/scheduler/framework/plugins/volumebinding/binder.go
 * BindPodVolumes.
 */
export const bindVolumes = (task: BindingTask, plan: VolumePlan, timeoutMs: number): (() => void) => {
  const { cache, connection, done, node } = task
  const bindings: Array<VolumePlan["bindings"][number]> = []
  const provisions: Array<PersistentVolumeClaim> = []
  let stopWaiting: () => void = () => undefined
  let isOver = false
  const stop = () => {
    isOver = true
    stopWaiting()
  }
  const end = (problem?: string) => {
    stop()
    done(problem)
  }
  const written =
    <A>(take: (object: A) => void) =>
    (answer: Answer): void => {
      if (isOver) return
      if (Result.isFailure(answer)) {
        end(answer.failure.message)
        return
      }
      take(answer.success as A)
      write()
    }
  const write = (): void => {
    const binding = plan.bindings[bindings.length]
    if (binding !== undefined) {
      const { claim, volume } = binding
      connection.send(
        { verb: "update", kind: "PersistentVolume", name: volume.metadata.name ?? "", object: boundTo(volume, claim) },
        written<PersistentVolume>((now) => bindings.push({ claim, volume: now }))
      )
      return
    }
    const claim = plan.provisions[provisions.length]
    if (claim === undefined) {
      wait()
      return
    }
    const { name = "", namespace = "" } = claim.metadata
    connection.send(
      { verb: "update", kind: "PersistentVolumeClaim", namespace, name, object: selectedFor(claim, node) },
      written<PersistentVolumeClaim>((now) => provisions.push(now))
    )
  }
  const wait = (): void => {
    const state = () => checkBindings({ bindings, provisions }, cache.volumes, node, cache.node(node)?.node)
    stopWaiting = awaitBindings({ bindings, provisions }, task, timeoutMs, state, end)
  }
  write()
  return stop
}

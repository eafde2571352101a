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
 * A copy of the volume that is bound to the claim. It is annotated as bound by the controller, unless its author bound
 * it to the claim in advance. Upstream: staging/src/k8s.io/component-helpers/storage/volume/pv_helpers.go
 * GetBindVolumeToClaim.
 */
const withClaimRef = (volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume => {
  const { annotations } = volume.metadata
  const metadata = isVolumeOf(volume, claim)
    ? volume.metadata
    : { ...volume.metadata, annotations: { ...annotations, [annotationBoundByController]: "yes" } }
  return { ...volume, metadata, spec: { ...volume.spec, claimRef: referenceTo(claim) } }
}

/** A copy of the claim that names the node which its volume must be accessible from. */
const withSelectedNode = (claim: PersistentVolumeClaim, node: string): PersistentVolumeClaim => ({
  ...claim,
  metadata: { ...claim.metadata, annotations: { ...claim.metadata.annotations, [annotationSelectedNode]: node } }
})

/**
 * Writes, one after the other, the bindings and provisioning requests of a pod's volumes, then waits until all of its
 * claims are bound. Calls `task.done`: without an argument, or with the problem. Returns a function that cancels.
 * Upstream: pkg/scheduler/framework/plugins/volumebinding/binder.go BindPodVolumes.
 */
export const bindVolumes = (task: BindingTask, plan: VolumePlan, timeoutMs: number): (() => void) => {
  const { cache, connection, done, node } = task
  // The part of the plan that has been written, with the objects that the API server returned.
  const bindings: Array<VolumePlan["bindings"][number]> = []
  const provisions: Array<PersistentVolumeClaim> = []
  let stopWaiting: () => void = () => undefined
  let isStopped = false
  const stop = () => {
    isStopped = true
    stopWaiting()
  }
  const end = (problem?: string) => {
    stop()
    done(problem)
  }
  /** Handles the answer to a write: passes the written object to `keep`, then does the next write. */
  const onWritten =
    <A>(keep: (object: A) => void) =>
    (answer: Answer): void => {
      if (isStopped) return
      if (Result.isFailure(answer)) {
        end(answer.failure.message)
        return
      }
      keep(answer.success as A)
      writeNext()
    }
  const writeNext = (): void => {
    const binding = plan.bindings[bindings.length]
    if (binding !== undefined) {
      const { claim, volume } = binding
      connection.send(
        {
          verb: "update",
          kind: "PersistentVolume",
          name: volume.metadata.name ?? "",
          object: withClaimRef(volume, claim)
        },
        onWritten<PersistentVolume>((written) => bindings.push({ claim, volume: written }))
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
      { verb: "update", kind: "PersistentVolumeClaim", namespace, name, object: withSelectedNode(claim, node) },
      onWritten<PersistentVolumeClaim>((written) => provisions.push(written))
    )
  }
  const wait = (): void => {
    const getState = () => checkBindings({ bindings, provisions }, cache.volumes, node, cache.node(node)?.node)
    stopWaiting = awaitBindings({ bindings, provisions }, task, timeoutMs, getState, end)
  }
  writeNext()
  return stop
}

import { controllerReference, type KubeObject, type Pod, type PodTemplateSpec } from "@rollcall/api"
import { type ClusterError, type Connection, type EventRecorder, isNotFound } from "@rollcall/cluster"
import * as Result from "effect/Result"
import { podFromTemplate } from "../podFromTemplate.ts"
import { ask } from "../Requests.ts"

/** Called once, without an error if the request succeeded. */
type OnAnswer = (error: ClusterError | undefined) => void

/** Whether a creation failed because the namespace is terminating: then a retry cannot succeed. */
export const isNamespaceTerminating = (error: ClusterError): boolean =>
  error._tag === "ApiError" &&
  (error.status.details?.causes?.some(({ reason }) => reason === "NamespaceTerminating") ?? false)

/**
 * Creates, deletes, adopts and releases the pods of a set, and records Events about creations and deletions.
 * Upstream: pkg/controller/controller_utils.go RealPodControl, controller_ref_manager.go.
 */
export class PodControl {
  private readonly connection: Connection
  private readonly recorder: EventRecorder

  constructor(connection: Connection, recorder: EventRecorder) {
    this.connection = connection
    this.recorder = recorder
  }

  /** Creates a pod from a template: see `createPod`. */
  create(owner: KubeObject, template: PodTemplateSpec, onAnswer: OnAnswer): void {
    this.createPod(owner, podFromTemplate(owner, template), onAnswer)
  }

  /** Creates a pod. In a terminating namespace, where that is not possible, it answers without an error. */
  createPod(owner: KubeObject, pod: Pod, onAnswer: OnAnswer): void {
    const namespace = pod.metadata.namespace ?? "default"
    ask<Pod>(this.connection, { verb: "create", kind: "Pod", namespace, object: pod }, (result) => {
      if (Result.isSuccess(result)) {
        this.recorder.event(owner, "Normal", "SuccessfulCreate", `Created pod: ${result.success.metadata.name}`)
        onAnswer(undefined)
      } else if (isNamespaceTerminating(result.failure)) onAnswer(undefined)
      else {
        this.recorder.event(owner, "Warning", "FailedCreate", `Error creating: ${result.failure.message}`)
        onAnswer(result.failure)
      }
    })
  }

  /** Deletes a pod. If the pod no longer exists, it answers with the NotFound error, but records no Event. */
  delete(owner: KubeObject, { metadata }: Pod, onAnswer: OnAnswer): void {
    const { name = "", namespace = "default" } = metadata
    ask<unknown>(this.connection, { verb: "delete", kind: "Pod", namespace, name }, (result) => {
      if (Result.isSuccess(result)) {
        this.recorder.event(owner, "Normal", "SuccessfulDelete", `Deleted pod: ${name}`)
        onAnswer(undefined)
        return
      }
      if (!isNotFound(result.failure)) {
        this.recorder.event(owner, "Warning", "FailedDelete", `Error deleting: ${result.failure.message}`)
      }
      onAnswer(result.failure)
    })
  }

  /** Makes the owner the controller of a pod. */
  adopt(owner: KubeObject, pod: Pod, onAnswer: OnAnswer): void {
    this.patchOwners(pod, { ownerReferences: [controllerReference(owner)], uid: pod.metadata.uid }, onAnswer)
  }

  /** Removes the owner from a pod's owner references; a pod that no longer exists is no error. */
  release(owner: KubeObject, pod: Pod, onAnswer: OnAnswer): void {
    const removal = { $patch: "delete", uid: owner.metadata.uid }
    this.patchOwners(pod, { ownerReferences: [removal], uid: pod.metadata.uid }, (error) =>
      onAnswer(error !== undefined && isNotFound(error) ? undefined : error)
    )
  }

  private patchOwners(pod: Pod, metadata: unknown, onAnswer: OnAnswer): void {
    const { name = "", namespace = "default" } = pod.metadata
    ask<Pod>(
      this.connection,
      { verb: "patch", kind: "Pod", namespace, name, patchType: "strategic", body: { metadata } },
      (result) => onAnswer(Result.isSuccess(result) ? undefined : result.failure)
    )
  }
}

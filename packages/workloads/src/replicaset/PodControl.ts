import { controllerReference, type KubeObject, type Pod, type PodTemplateSpec } from "@rollcall/api"
import { type ClusterError, type Connection, type EventRecorder, isNotFound } from "@rollcall/cluster"
import * as Result from "effect/Result"
import { podFromTemplate } from "../podFromTemplate.ts"
import { ask } from "../Requests.ts"

type Answered = (error: ClusterError | undefined) => void

/** Nothing can be created in a terminating namespace, so there is no retry. */
export const isNamespaceTerminating = (error: ClusterError): boolean =>
  error._tag === "ApiError" &&
  (error.status.details?.causes?.some(({ reason }) => reason === "NamespaceTerminating") ?? false)

/**
 * Creates, deletes, adopts and releases the pods of a set, and records Events.
 * Upstream: pkg/controller/controller_utils.go RealPodControl, controller_ref_manager.go.
 */
export class PodControl {
  private readonly connection: Connection
  private readonly recorder: EventRecorder

  constructor(connection: Connection, recorder: EventRecorder) {
    this.connection = connection
    this.recorder = recorder
  }

  create(owner: KubeObject, template: PodTemplateSpec, answered: Answered): void {
    this.createPod(owner, podFromTemplate(owner, template), answered)
  }

  createPod(owner: KubeObject, pod: Pod, answered: Answered): void {
    const namespace = pod.metadata.namespace ?? "default"
    ask<Pod>(this.connection, { verb: "create", kind: "Pod", namespace, object: pod }, (result) => {
      if (Result.isSuccess(result)) {
        this.recorder.event(owner, "Normal", "SuccessfulCreate", `Created pod: ${result.success.metadata.name}`)
        answered(undefined)
      } else if (isNamespaceTerminating(result.failure)) answered(undefined)
      else {
        this.recorder.event(owner, "Warning", "FailedCreate", `Error creating: ${result.failure.message}`)
        answered(result.failure)
      }
    })
  }

  /** The deletion of a pod that no longer exists returns its NotFound error. */
  delete(owner: KubeObject, { metadata }: Pod, answered: Answered): void {
    const { name = "", namespace = "default" } = metadata
    ask<unknown>(this.connection, { verb: "delete", kind: "Pod", namespace, name }, (result) => {
      if (Result.isSuccess(result)) {
        this.recorder.event(owner, "Normal", "SuccessfulDelete", `Deleted pod: ${name}`)
        answered(undefined)
        return
      }
      if (!isNotFound(result.failure)) {
        this.recorder.event(owner, "Warning", "FailedDelete", `Error deleting: ${result.failure.message}`)
      }
      answered(result.failure)
    })
  }

  adopt(owner: KubeObject, pod: Pod, answered: Answered): void {
    this.patchOwners(pod, { ownerReferences: [controllerReference(owner)], uid: pod.metadata.uid }, answered)
  }

  release(owner: KubeObject, pod: Pod, answered: Answered): void {
    const gone = { $patch: "delete", uid: owner.metadata.uid }
    this.patchOwners(pod, { ownerReferences: [gone], uid: pod.metadata.uid }, (error) =>
      answered(error !== undefined && isNotFound(error) ? undefined : error)
    )
  }

  private patchOwners(pod: Pod, metadata: unknown, answered: Answered): void {
    const { name = "", namespace = "default" } = pod.metadata
    ask<Pod>(
      this.connection,
      { verb: "patch", kind: "Pod", namespace, name, patchType: "strategic", body: { metadata } },
      (result) => answered(Result.isSuccess(result) ? undefined : result.failure)
    )
  }
}

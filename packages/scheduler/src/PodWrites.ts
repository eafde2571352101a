import { formatTime, type Pod, type PodCondition, updatePodCondition } from "@rollcall/api"
import type { Answer, Connection } from "@rollcall/cluster"

/**
 * The scheduler's requests about pods. They are sent without waiting for earlier ones. Only `bind` reports its answer: the
 * others are best effort, as upstream.
 */
export class PodWrites {
  private readonly connection: Connection

  constructor(connection: Connection) {
    this.connection = connection
  }

  /** Binds the pod. The request contains its UID, so that it fails for a later pod with the same name. */
  bind(pod: Pod, nodeName: string, reply: (answer: Answer) => void): void {
    const { name = "", namespace = "default", uid } = pod.metadata
    this.connection.send(
      {
        verb: "create",
        kind: "Pod",
        namespace,
        name,
        subresource: "binding",
        object: {
          apiVersion: "v1",
          kind: "Binding",
          metadata: { name, namespace, ...(uid === undefined ? {} : { uid }) },
          target: { apiVersion: "v1", kind: "Node", name: nodeName }
        }
      },
      reply
    )
  }

  /**
   * Sets a condition and, if given, status.nominatedNodeName ("" removes it). Sends only what differs from the pod, or no
   * request. The transition time changes only if the status of the condition does.
   */
  setCondition(pod: Pod, condition: PodCondition, nowMs: number, nominatedNodeName?: string): void {
    const before = pod.status ?? {}
    const { generation } = pod.metadata
    const observed = generation === undefined ? condition : { ...condition, observedGeneration: generation }
    const after = updatePodCondition(before, observed, formatTime(nowMs))
    const nominationDiffers = nominatedNodeName !== undefined && nominatedNodeName !== (before.nominatedNodeName ?? "")
    if (after === before && !nominationDiffers) return
    this.patchStatus(pod, {
      ...(after === before ? {} : { conditions: after.conditions?.filter(({ type }) => type === condition.type) }),
      ...(nominationDiffers ? { nominatedNodeName: nominatedNodeName === "" ? null : nominatedNodeName } : {})
    })
  }

  /** Sets status.nominatedNodeName. */
  nominate(pod: Pod, nodeName: string): void {
    if (pod.status?.nominatedNodeName !== nodeName) this.patchStatus(pod, { nominatedNodeName: nodeName })
  }

  clearNomination(pod: Pod): void {
    if ((pod.status?.nominatedNodeName ?? "") !== "") this.patchStatus(pod, { nominatedNodeName: null })
  }

  /** Adds the condition DisruptionTarget to a preempted pod, then deletes it with its own grace period. */
  deleteVictim(pod: Pod, schedulerName: string, nowMs: number): void {
    this.setCondition(
      pod,
      {
        type: "DisruptionTarget",
        status: "True",
        reason: "PreemptionByScheduler",
        message: `${schedulerName}: preempting to accommodate a higher priority pod`
      },
      nowMs
    )
    const { name = "", namespace = "default" } = pod.metadata
    this.connection.send({ verb: "delete", kind: "Pod", namespace, name }, () => undefined)
  }

  private patchStatus(pod: Pod, status: unknown): void {
    const { name = "", namespace = "default" } = pod.metadata
    this.connection.send(
      {
        verb: "patch",
        kind: "Pod",
        namespace,
        name,
        subresource: "status",
        patchType: "strategic",
        body: { status }
      },
      () => undefined
    )
  }
}

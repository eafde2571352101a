import type { Node, PodStatus } from "@rollcall/api"
import type { Env } from "../internal/Env.ts"
import { hostIPsOf } from "../node/HostIPs.ts"
import type { NodeHost } from "../runtime/NodeHost.ts"
import type { Containers } from "./Containers.ts"
import type { PodRecord } from "./PodRecord.ts"
import type { PodSender } from "./PodSender.ts"
import { podStatusOf } from "./PodStatusOf.ts"

/** Works pods' statuses out from their containers, and posts them. */
export class PodReporter {
  /** The kubelet's process is there; without it, what happened is posted later. */
  isActive = false
  private readonly env: Env
  private readonly host: NodeHost
  private readonly node: () => Node | undefined
  private readonly sender: PodSender

  constructor(env: Env, host: NodeHost, node: () => Node | undefined, sender: PodSender) {
    this.env = env
    this.host = host
    this.node = node
    this.sender = sender
  }

  restate(record: PodRecord, containers: Containers, podIP: string | undefined = record.status.podIP): void {
    record.status = this.statusOf(record, containers, podIP)
    if (this.isActive) this.sender.send(record)
  }

  private statusOf(record: PodRecord, containers: Containers, podIP: string | undefined): PodStatus {
    const { pod, stage, status } = record
    const hostIPs = hostIPsOf(this.node()?.status?.addresses ?? this.host.machine().addresses)
    return podStatusOf(pod, {
      containers,
      previous: status,
      sandbox: stage === "running" || (stage === "stopping" && podIP !== undefined),
      terminating: stage === "stopped",
      killed: stage === "stopped" ? record.ending?.kill : undefined,
      hostIPs,
      podIP: pod.spec.hostNetwork === true ? hostIPs[0]?.ip : podIP,
      now: this.env.wallTime(),
      gates: this.env.config.featureGates
    })
  }
}

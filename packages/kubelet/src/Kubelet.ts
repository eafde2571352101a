import type { Node, Pod, Release } from "@rollcall/api"
import type { ComponentLog, Connection, EventRecorder } from "@rollcall/cluster"
import type { PodAdmitHandler } from "./admission/PodAdmitHandler.ts"
import type { KubeletConfig } from "./KubeletConfig.ts"
import type { KubeletHealth } from "./KubeletHealth.ts"
import type { KubeletMeter } from "./KubeletMeter.ts"
import type { KubeletModel } from "./KubeletModel.ts"
import type { MachineEvents } from "./MachineEvents.ts"
import type { PodStage } from "./pod/PodDecision.ts"
import type { KillPod } from "./pod/PodKill.ts"
import type { NodeHost } from "./runtime/NodeHost.ts"
import type { PodRuntime } from "./runtime/PodRuntime.ts"
import type { KubeletRequest, KubeletResponse } from "./server/serveKubelet.ts"
import type { StaticPodManifest } from "./static/StaticPodManifest.ts"

export interface KubeletOptions {
  /** The node's name. */
  readonly name: string
  /** The kubelet's own way to the API, as `system:node:<name>`; a link's faults are faults of this connection. */
  readonly connection: Connection
  /** Shared by all kubelets of a group. */
  readonly config?: KubeletConfig
  readonly model?: KubeletModel
  readonly release?: Release
  readonly host?: NodeHost
  readonly runtime?: PodRuntime
  /** Who allocates devices, CPUs and memory: asked after node pressure and sysctls, before the predicates. */
  readonly resourceManagers?: ReadonlyArray<PodAdmitHandler>
  /** Asked last: node shutdown, and whatever else may refuse a pod. */
  readonly admission?: ReadonlyArray<PodAdmitHandler>
  /** Where Events about the node and its pods go; without it none are made. */
  readonly recorder?: Pick<EventRecorder, "event">
  /** Where it writes what fails, in kubelet's words; without it nowhere. */
  readonly log?: ComponentLog
  /** Jitter follows from this and the name. */
  readonly seed?: number
  /** Counts what it does. */
  readonly meter?: KubeletMeter
  /** Why the node is not Ready while it goes down. A change is seen by the next pass. Upstream: nodeshutdown.Manager ShutdownStatus. */
  readonly shutdownStatus?: () => string | undefined
  /** The process has ended, by itself or with its machine. */
  readonly onStop?: () => void
  /** Heartbeats fail again and again: a live client closes its connections. */
  readonly onRepeatedHeartbeatFailure?: () => void
}

/** One pod as its node sees it. */
export interface LocalPod {
  readonly uid: string
  readonly namespace: string
  readonly name: string
  readonly stage: PodStage
  /** Of a manifest on the node, not of the API. */
  readonly isStatic: boolean
  /** It has containers, or is getting or losing them. */
  readonly hasContainers: boolean
}

/** A kubelet. Everything it does happens in callbacks of its timers and of its connection; nothing here waits. */
export interface Kubelet {
  readonly name: string
  readonly config: KubeletConfig
  /** The kubelet's process is there. */
  readonly running: boolean
  /** The Node as the kubelet last saw it. */
  readonly node: Node | undefined
  readonly pods: () => ReadonlyArray<LocalPod>
  /** Pods that hold resources of the node: those with containers, and those that are getting or losing them. */
  readonly activePods: () => ReadonlyArray<Pod>
  /** All pods of the node that have not ended, admitted yet or not; undefined until a process that has just started knows them. */
  readonly knownPods: () => ReadonlyArray<Pod> | undefined
  readonly killPod: KillPod
  readonly health: () => KubeletHealth
  /** Answers in place of its HTTPS server, while its process runs; nothing is listened on. */
  readonly serve: (request: KubeletRequest) => KubeletResponse
  /** Tells of something that befell the node, if anybody listens. */
  readonly nodeEvent: (type: "Normal" | "Warning", reason: string, message: string) => void
  /** Posts the node's status as soon as may be, instead of with the next pass. Upstream: pkg/kubelet/kubelet_node_status.go syncNodeStatus. */
  readonly syncNodeStatus: () => void
  /** Manifests of pods that this node runs whatever the API says; those that are no longer among them are ended. */
  readonly setStaticPods: (manifests: ReadonlyArray<StaticPodManifest>) => void
  /** Starts the process; containers that run go on. On a machine that is off, nothing happens. */
  readonly startKubelet: () => void
  /** Ends the process; containers go on. */
  readonly stopKubelet: () => void
}

/** The kubelet of a modelled machine, which tells it what a real one would show. */
export interface ModelledKubelet extends Kubelet, MachineEvents {}

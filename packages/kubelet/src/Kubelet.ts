import type { Node, Pod, Release } from "@rollcall/api"
import type { ComponentLog, Connection, ProcessRecorder } from "@rollcall/cluster"
import type { PodAdmitHandler } from "./admission/PodAdmitHandler.ts"
import type { CredentialPluginsSetting } from "./credentials/CredentialPlugins.ts"
import type { ContainerClaimDevices } from "./dra/claimedDevices.ts"
import type { DeviceDriversShape } from "./dra/DeviceDriver.ts"
import type { KubeletConfig } from "./KubeletConfig.ts"
import type { KubeletHealth } from "./KubeletHealth.ts"
import type { KubeletMeter } from "./KubeletMeter.ts"
import type { KubeletModel } from "./KubeletModel.ts"
import type { MachineEvents } from "./MachineEvents.ts"
import type { PodStage } from "./pod/PodDecision.ts"
import type { KillPod } from "./pod/PodKill.ts"
import type { HeldBy } from "./references/Reference.ts"
import type { WrittenFiles } from "./runtime/command/ContainerFiles.ts"
import type { NodeHost } from "./runtime/NodeHost.ts"
import type { PodRuntime } from "./runtime/PodRuntime.ts"
import type { KubeletRequest, KubeletResponse } from "./server/KubeletRequest.ts"
import type { StaticPodManifest } from "./static/StaticPodManifest.ts"

/**
 * Returns the files that commands have written in the volume of a claim, by its `namespace/name`: they outlive pods and nodes.
 * Returns undefined for a claim whose volume is not known.
 */
export type FilesOfClaim = (claim: string) => WrittenFiles | undefined

/** The configuration and the dependencies of a kubelet. Absent ones have defaults. */
export interface KubeletOptions {
  /** The node's name. */
  readonly name: string
  /** The kubelet's own connection to the API, as `system:node:<name>`; faults of its link act on this connection. */
  readonly connection: Connection
  /** May be shared by all kubelets of a group. */
  readonly config?: KubeletConfig
  readonly model?: KubeletModel
  readonly release?: Release
  readonly host?: NodeHost
  readonly runtime?: PodRuntime
  /** The drivers that prepare the devices of claims; by default modelled ones, which prepare every claim at once. */
  readonly deviceDrivers?: DeviceDriversShape
  /** The plugins that have credentials for registries; absent if images are pulled with pull secrets only. */
  readonly credentialPlugins?: CredentialPluginsSetting
  /**
   * Of which kinds, and in which namespaces, a missing object holds a pod that refers to it. By default of both, everywhere: a cluster
   * whose snapshot has left them out holds no pods for them.
   */
  readonly heldBy?: HeldBy
  /** The files of claims; absent if they are lost with each pod. */
  readonly filesOfClaim?: FilesOfClaim
  /** The handlers that allocate devices, CPUs and memory: after node pressure and sysctls, before the predicates. */
  readonly resourceManagers?: ReadonlyArray<PodAdmitHandler>
  /** The last handlers: node shutdown, and other reasons to refuse a pod. */
  readonly admission?: ReadonlyArray<PodAdmitHandler>
  /** Records Events about the node and its pods; absent if none are recorded. */
  readonly recorder?: ProcessRecorder
  /** Logs failures with the kubelet's messages; absent if they are not logged. */
  readonly log?: ComponentLog
  /** The seed of the jitter, which also depends on the name. */
  readonly seed?: number
  /** Receives the kubelet's metrics. */
  readonly meter?: KubeletMeter
  /**
   * Returns why the node is not Ready during a shutdown, or undefined if it does not shut down. It is called by each
   * status update. Upstream: nodeshutdown.Manager ShutdownStatus.
   */
  readonly shutdownStatus?: () => string | undefined
  /** Called when the process has ended, by itself or with its machine. */
  readonly onStop?: () => void
  /** Called when heartbeats fail repeatedly, so that a client over a network closes its connections. */
  readonly onRepeatedHeartbeatFailure?: () => void
}

/** The state of one pod on its node. */
export interface LocalPod {
  readonly uid: string
  readonly namespace: string
  readonly name: string
  readonly stage: PodStage
  /** Whether it comes from a manifest on the node, and not from the API. */
  readonly isStatic: boolean
  /** Whether it has containers, or they are being started or stopped. */
  readonly hasContainers: boolean
}

/** A kubelet. It works in callbacks of its timers and of its connection, so that no call here blocks. */
export interface Kubelet {
  readonly name: string
  readonly config: KubeletConfig
  /** Whether the kubelet's process runs. */
  readonly running: boolean
  /** The Node as the kubelet last saw it. */
  readonly node: Node | undefined
  /** Whether the process has ended its first sync of the node's Lease: it has written it, unless the node was not registered yet. */
  readonly isLeaseSynced: boolean
  readonly pods: () => ReadonlyArray<LocalPod>
  /** Returns the pods that hold resources of the node: those with containers, also containers that start or stop. */
  readonly activePods: () => ReadonlyArray<Pod>
  /**
   * Returns all pods of the node that have not terminated, admitted or not, or undefined until the process has listed
   * them.
   */
  readonly knownPods: () => ReadonlyArray<Pod> | undefined
  /** Returns the claims of a pod's container with their devices, as far as they are prepared. */
  readonly claimsOf: (pod: Pod, container: string) => ReadonlyArray<ContainerClaimDevices>
  readonly killPod: KillPod
  readonly health: () => KubeletHealth
  /** Handles a request in place of the kubelet's HTTPS server, while its process runs; it does not listen on a port. */
  readonly serve: (request: KubeletRequest) => KubeletResponse
  /** Records an Event about the node, if there is a recorder. */
  readonly nodeEvent: (type: "Normal" | "Warning", reason: string, message: string) => void
  /**
   * Posts the node's status as soon as possible, instead of with the next update.
   * Upstream: pkg/kubelet/kubelet_node_status.go syncNodeStatus.
   */
  readonly syncNodeStatus: () => void
  /** Sets the manifests of static pods; pods that are no longer among them are killed. */
  readonly setStaticPods: (manifests: ReadonlyArray<StaticPodManifest>) => void
  /** Starts the process; running containers are kept. Does nothing on a machine that is off. */
  readonly startKubelet: () => void
  /** Ends the process; containers keep running. */
  readonly stopKubelet: () => void
}

/** The kubelet of a modelled machine, with the events that a real machine would show it. */
export interface ModelledKubelet extends Kubelet, MachineEvents {}

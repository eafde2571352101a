import type { Node, Pod, Release } from "@rollcall/api"
import type { Connection, EventRecorder } from "@rollcall/cluster"
import type { KubeletConfig } from "../KubeletConfig.ts"
import type { KillPod } from "../pod/PodKill.ts"
import type { NodeHost } from "../runtime/NodeHost.ts"
import { refusedByAppArmor } from "./AppArmor.ts"
import { declaredFeatures, refusedForDeclared } from "./DeclaredFeatures.ts"
import { type AdmissionMeter, countingRefusals } from "./metrics.ts"
import type { PodAdmitHandler } from "./PodAdmitHandler.ts"
import { refusedForFeatures } from "./PodFeatures.ts"
import { PredicateAdmission } from "./PredicateAdmission.ts"
import { refusedForSysctls, type SysctlAllowList, safeSysctls, sysctlAllowList } from "./Sysctl.ts"

export interface AdmitHandlersOptions {
  readonly nodeName: string
  readonly config: KubeletConfig
  readonly release: Release
  readonly host: NodeHost
  /** Reads the Node once when only its labels make a pod inadmissible. */
  readonly connection: Connection
  /** The Node that this kubelet would register, used until the watch has shown one. */
  readonly initialNode: () => Node | undefined
  readonly killPod: KillPod
  readonly recorder?: Pick<EventRecorder, "event"> | undefined
  /** Node pressure; runs first. */
  readonly evictionHandler?: PodAdmitHandler | undefined
  /** Topology, CPU, memory and device managers: after sysctls, before the predicates. */
  readonly resourceManagers?: ReadonlyArray<PodAdmitHandler>
  /** Run last; node shutdown is the last of them. */
  readonly extra?: ReadonlyArray<PodAdmitHandler>
  /** Absent: nothing is counted. */
  readonly meter?: AdmissionMeter | undefined
}

const requestsSysctls = ({ spec }: Pod): boolean => (spec.securityContext?.sysctls?.length ?? 0) > 0

/** The list depends on configuration, release and kernel; it is computed when the first pod requests sysctls. */
const sysctlHandler = ({ config, host, release }: AdmitHandlersOptions): PodAdmitHandler => {
  let allowed: SysctlAllowList | undefined
  return ({ pod }) => {
    if (!requestsSysctls(pod)) return undefined
    if (allowed === undefined) {
      const { operatingSystem, versions } = host.machine()
      const safe = operatingSystem === "linux" ? safeSysctls(release.safeSysctls, versions.kernelVersion) : []
      allowed = sysctlAllowList([...safe, ...config.allowedUnsafeSysctls])
    }
    return refusedForSysctls(pod, allowed)
  }
}

/** Handlers that depend only on the pod and the configuration are made once for all kubelets that share it. */
const byConfig = new WeakMap<KubeletConfig, ReadonlyArray<PodAdmitHandler>>()

const featureHandlers = ({ config, release }: AdmitHandlersOptions): ReadonlyArray<PodAdmitHandler> => {
  const known = byConfig.get(config)
  if (known !== undefined) return known
  const { featureGates } = config
  const handlers: Array<PodAdmitHandler> = [({ pod }) => refusedForFeatures(pod, featureGates)]
  const declared = declaredFeatures(config, release)
  if (declared !== undefined) handlers.push(({ pod }) => refusedForDeclared(pod, declared))
  byConfig.set(config, handlers)
  return handlers
}

/**
 * The admit handlers of a node, in the kubelet's order: node pressure, sysctls, resource managers, predicates with
 * preemption by critical pods, AppArmor, features, node shutdown. Upstream: pkg/kubelet/kubelet.go NewMainKubelet;
 * pkg/kubelet/allocation/allocation_manager.go canAdmitPod.
 */
export const makeAdmitHandlers = (options: AdmitHandlersOptions): ReadonlyArray<PodAdmitHandler> => {
  const { config, connection, evictionHandler, extra = [], host, initialNode, killPod } = options
  const { meter, nodeName, recorder, release, resourceManagers = [] } = options
  const predicates = new PredicateAdmission({
    nodeName,
    connection,
    gates: config.featureGates,
    release,
    operatingSystem: () => host.machine().operatingSystem,
    initialNode,
    killPod,
    recorder,
    onPreempted: meter?.preempted
  })
  const chain: ReadonlyArray<PodAdmitHandler> = [
    ...(evictionHandler === undefined ? [] : [evictionHandler]),
    sysctlHandler(options),
    ...resourceManagers,
    predicates.handler,
    ({ pod }) => refusedByAppArmor(pod, host.machine().appArmor !== false),
    ...featureHandlers(options),
    ...extra
  ]
  return meter === undefined ? chain : chain.map((handler) => countingRefusals(handler, meter))
}

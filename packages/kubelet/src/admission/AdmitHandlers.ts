import type { Node, Pod, Release } from "@rollcall/api"
import type { Connection, EventRecorder } from "@rollcall/cluster"
import type { KubeletConfig } from "../KubeletConfig.ts"
import type { KillPod } from "../pod/PodKill.ts"
import type { NodeHost } from "../runtime/NodeHost.ts"
import { appArmorRefusal } from "./AppArmor.ts"
import { declaredFeatures, declaredFeaturesRefusal } from "./DeclaredFeatures.ts"
import { type AdmissionMeter, countingRefusals } from "./metrics.ts"
import { judgingAlone, type PodAdmitHandler } from "./PodAdmitHandler.ts"
import { featureRefusal } from "./PodFeatures.ts"
import { PredicateAdmission } from "./PredicateAdmission.ts"
import { type SysctlAllowList, safeSysctls, sysctlAllowList, sysctlRefusal } from "./Sysctl.ts"

/** The dependencies of a kubelet's admit handlers. */
export interface AdmitHandlersOptions {
  readonly nodeName: string
  readonly config: KubeletConfig
  readonly release: Release
  readonly host: NodeHost
  /** The connection over which the Node is read if only its labels make a pod inadmissible. */
  readonly connection: Connection
  /** Returns the Node that this kubelet would register. It is used until the watch has shown one. */
  readonly initialNode: () => Node | undefined
  readonly killPod: KillPod
  readonly recorder?: Pick<EventRecorder, "event"> | undefined
  /** The handler for node pressure, which runs first. */
  readonly evictionHandler?: PodAdmitHandler | undefined
  /** The handlers of the topology, CPU, memory and device managers. They run after sysctls, before the predicates. */
  readonly resourceManagers?: ReadonlyArray<PodAdmitHandler>
  /** The handlers that run last, of which node shutdown is the last. */
  readonly extra?: ReadonlyArray<PodAdmitHandler>
  /** Counts refusals and preemptions; absent if nothing is counted. */
  readonly meter?: AdmissionMeter | undefined
}

const requestsSysctls = ({ spec }: Pod): boolean => (spec.securityContext?.sysctls?.length ?? 0) > 0

/** Returns the handler for sysctls. It computes the list of allowed ones when the first pod requests sysctls. */
const sysctlHandler = ({ config, host, release }: AdmitHandlersOptions): PodAdmitHandler => {
  let allowed: SysctlAllowList | undefined
  return judgingAlone((pod) => {
    if (!requestsSysctls(pod)) return undefined
    if (allowed === undefined) {
      const { operatingSystem, versions } = host.machine()
      const safe = operatingSystem === "linux" ? safeSysctls(release.safeSysctls, versions.kernelVersion) : []
      allowed = sysctlAllowList([...safe, ...config.allowedUnsafeSysctls])
    }
    return sysctlRefusal(pod, allowed)
  })
}

/** Caches the handlers that depend only on pod and configuration, by the configuration that kubelets share. */
const byConfig = new WeakMap<KubeletConfig, ReadonlyArray<PodAdmitHandler>>()

const featureHandlers = ({ config, release }: AdmitHandlersOptions): ReadonlyArray<PodAdmitHandler> => {
  const known = byConfig.get(config)
  if (known !== undefined) return known
  const { featureGates } = config
  const handlers: Array<PodAdmitHandler> = [judgingAlone((pod) => featureRefusal(pod, featureGates))]
  const declared = declaredFeatures(config, release)
  if (declared !== undefined) handlers.push(judgingAlone((pod) => declaredFeaturesRefusal(pod, declared)))
  byConfig.set(config, handlers)
  return handlers
}

/**
 * Makes the admit handlers of a node, in the kubelet's order: node pressure, sysctls, resource managers, predicates
 * with preemption by critical pods, AppArmor, features, `extra`. Upstream: pkg/kubelet/kubelet.go NewMainKubelet;
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
    judgingAlone((pod) => appArmorRefusal(pod, host.machine().appArmor !== false)),
    ...featureHandlers(options),
    ...extra
  ]
  return meter === undefined ? chain : chain.map((handler) => countingRefusals(handler, meter))
}

import type { Container } from "../objects/Container.ts"
import type { Pod, PodSpec, PodTemplateSpec } from "../objects/Pod.ts"
import type { ContainerStatus, PodStatus } from "../objects/PodStatus.ts"
import type { ResourceList } from "../objects/Scalars.ts"
import { formatAmounts, podLimits, podRequests } from "../PodResources.ts"
import { completeContainer, withHostPorts, withRequestsFromLimits } from "./container.ts"
import { mapItems, withDefaults, withFields } from "./fill.ts"
import { roundedAmounts, withRoundedResources } from "./resourceList.ts"
import { completeVolume } from "./volumes.ts"

/** Upstream: pkg/apis/core/v1/defaults.go, SetDefaults_PodSpec and SetDefaults_Pod. */

const specDefaults: Partial<PodSpec> = {
  restartPolicy: "Always",
  terminationGracePeriodSeconds: 30,
  dnsPolicy: "ClusterFirst",
  securityContext: {},
  schedulerName: "default-scheduler"
}

const mapContainers = (spec: PodSpec, complete: <A extends Container>(container: A) => A): PodSpec =>
  withFields(spec, {
    containers: spec.containers === undefined ? undefined : mapItems(spec.containers, complete),
    initContainers: spec.initContainers === undefined ? undefined : mapItems(spec.initContainers, complete)
  })

/**
 * Writes the name of the service account under the field's former name, too; the present name wins. Upstream:
 * pkg/apis/core/v1/conversion.go.
 */
const withServiceAccount = (spec: PodSpec): PodSpec => {
  const name = spec.serviceAccountName || spec.serviceAccount
  return name ? withFields(spec, { serviceAccountName: name, serviceAccount: name }) : spec
}

const withPodAmounts = (spec: PodSpec): PodSpec =>
  spec.overhead === undefined
    ? withRoundedResources(spec)
    : withFields(withRoundedResources(spec), { overhead: roundedAmounts(spec.overhead) })

/** Sets the defaults of a spec in a pod or in a template. */
export const completePodSpec = (spec: PodSpec): PodSpec =>
  withFields(withPodAmounts(mapContainers(withDefaults(withServiceAccount(spec), specDefaults), completeContainer)), {
    volumes: spec.volumes === undefined ? undefined : mapItems(spec.volumes, completeVolume),
    ephemeralContainers:
      spec.ephemeralContainers === undefined ? undefined : mapItems(spec.ephemeralContainers, completeContainer)
  })

const withAmounts = (status: ContainerStatus): ContainerStatus =>
  withFields(withRoundedResources(status), { allocatedResources: roundedAmounts(status.allocatedResources) })

const roundedStatuses = (statuses: ReadonlyArray<ContainerStatus> | undefined) =>
  statuses && mapItems(statuses, withAmounts)

/** Upstream: pkg/apis/core/v1/zz_generated.defaults.go, SetObjectDefaults_Pod. */
const withStatusAmounts = (status: PodStatus): PodStatus =>
  withFields(withRoundedResources(status), {
    allocatedResources: roundedAmounts(status.allocatedResources),
    containerStatuses: roundedStatuses(status.containerStatuses),
    initContainerStatuses: roundedStatuses(status.initContainerStatuses),
    ephemeralContainerStatuses: roundedStatuses(status.ephemeralContainerStatuses)
  })

const noSpec: PodSpec = { containers: [] }

/** Templates that lack no defaults: each update of a workload's status has the template that is stored. */
const complete = new WeakSet<PodTemplateSpec>()

export const completePodTemplate = (template: PodTemplateSpec | undefined): PodTemplateSpec => {
  if (template === undefined) return { metadata: {}, spec: completePodSpec(noSpec) }
  if (complete.has(template)) return template
  const completed = withFields(template, { spec: completePodSpec(template.spec ?? noSpec) })
  if (completed === template) complete.add(template)
  return completed
}

const podOnlyDefaults: Partial<PodSpec> = { enableServiceLinks: true }

/** The annotations that old kubelets read init containers from. */
const initContainerAnnotations = ["alpha", "beta"].flatMap((stage) => [
  `pod.${stage}.kubernetes.io/init-containers`,
  `pod.${stage}.kubernetes.io/init-container-statuses`
])

/** Removes what only old kubelets read. Upstream: pkg/apis/core/v1/conversion.go, dropInitContainerAnnotations. */
const withoutInitContainerAnnotations = (metadata: Pod["metadata"]): Pod["metadata"] => {
  const annotations = metadata?.annotations
  if (annotations === undefined || !initContainerAnnotations.some((name) => name in annotations)) return metadata
  const kept = Object.entries(annotations).filter(([name]) => !initContainerAnnotations.includes(name))
  return { ...metadata, annotations: Object.fromEntries(kept) }
}

/** A pod's negative grace period counts as one second; that of a template stays. Upstream: Convert_v1_Pod_To_core_Pod. */
const withPositiveGrace = (spec: PodSpec): PodSpec =>
  (spec.terminationGracePeriodSeconds ?? 0) < 0 ? { ...spec, terminationGracePeriodSeconds: 1 } : spec

const aggregated = { skipPodLevelResources: true, excludeOverhead: true } as const
const isHugePages = (name: string): boolean => name.startsWith("hugepages-")
const isPodLevel = (name: string): boolean => name === "cpu" || name === "memory" || isHugePages(name)

/** Returns the amounts of the resources that `isWanted` selects and `given` lacks. */
const missing = (amounts: ResourceList, given: ResourceList, isWanted: (name: string) => boolean): ResourceList =>
  Object.fromEntries(Object.entries(amounts).filter(([name]) => isWanted(name) && given[name] === undefined))

/**
 * Completes the resources of a pod as a whole from those of its containers, and its requests from its limits. Upstream:
 * defaultHugePagePodLimits and defaultPodRequests.
 */
const withPodResources = (spec: PodSpec, pod: Pod): PodSpec => {
  const { resources } = spec
  if (resources === undefined) return spec
  const { limits = {}, requests = {} } = resources
  if (Object.keys(limits).length === 0 && Object.keys(requests).length === 0) return spec
  const whole = { ...pod, spec }
  const hugePages = missing(formatAmounts(podLimits(whole, aggregated)), { ...limits, ...requests }, isHugePages)
  const most = { ...limits, ...hugePages }
  if (Object.keys(most).length === 0) return spec
  const sums = formatAmounts(podRequests(whole, aggregated))
  const asked = { ...requests, ...missing(sums, requests, (name) => isPodLevel(name) && !isHugePages(name)) }
  const all = { ...asked, ...missing(most, asked, isPodLevel) }
  const isComplete = Object.keys(hugePages).length === 0 && Object.keys(all).length === Object.keys(requests).length
  return isComplete ? spec : { ...spec, resources: { ...resources, limits: most, requests: all } }
}

/**
 * Returns the status with podIP and podIPs that agree: podIP is the first of podIPs, and an old kubelet's podIP replaces a
 * list that begins otherwise. Upstream: pkg/apis/core/v1/conversion.go, PodStatus.
 */
const withAgreedIPs = (status: PodStatus): PodStatus => {
  const { podIP = "", podIPs } = status
  const first = podIPs?.[0]?.ip ?? ""
  if (podIP === first) return status
  return { ...status, ...(podIP === "" ? { podIP: first } : { podIP, podIPs: [{ ip: podIP }] }) }
}

/** Sets the defaults of a Pod before admission; returns the same object when its spec is complete. */
export const defaultPod = (pod: Pod): Pod => {
  let spec = withPositiveGrace(withDefaults(completePodSpec(pod.spec ?? noSpec), podOnlyDefaults))
  spec = mapContainers(spec, withRequestsFromLimits)
  spec = withPodResources(spec, pod)
  if (spec.hostNetwork) spec = mapContainers(spec, withHostPorts)
  const status = pod.status && withStatusAmounts(withAgreedIPs(pod.status))
  return withFields(pod, { spec, status, metadata: withoutInitContainerAnnotations(pod.metadata) })
}

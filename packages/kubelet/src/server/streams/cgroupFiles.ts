import {
  type Container,
  type ContainerStatus,
  milliValue,
  type Pod,
  podLimits,
  podRequests,
  type QuantityLike,
  qosClassOf,
  value
} from "@rollcall/api"
import { oomScoreOf } from "../../eviction/oomScore.ts"
import type { KnownContainer } from "./containerWorld.ts"

/** A pod, and the status that the kubelet knows of it. */
type Known = Pick<KnownContainer, "pod" | "status">

type Files = Readonly<Record<string, string>>
type Amounts = Readonly<Record<string, QuantityLike>>

/** Upstream: pkg/kubelet/cm/helpers_linux.go. */
const MIN_SHARES = 2
const MAX_SHARES = 262_144
const SHARES_PER_CPU = 1_024
const PERIOD_US = 100_000
const MIN_QUOTA_US = 1_000

const sharesOf = (milli: number): number =>
  Math.min(Math.max(Math.floor((milli * SHARES_PER_CPU) / 1000), MIN_SHARES), MAX_SHARES)

/** Returns cpu.weight for CFS shares. Upstream: opencontainers/cgroups/utils.go, ConvertCPUSharesToCgroupV2Value. */
const containerWeight = (shares: number): number => {
  const log = Math.log2(shares)
  return shares <= MIN_SHARES ? 1 : Math.ceil(10 ** ((log * log + 125 * log) / 612 - 7 / 34))
}

/** Returns cpu.weight of a pod, which the kubelet itself converts. Upstream: pkg/kubelet/cm/cgroup_manager_linux.go. */
const podWeight = (shares: number): number => 1 + Math.floor(((shares - MIN_SHARES) * 9999) / 262_142)

/** What a control group may use. */
export interface CgroupLimits {
  readonly weight: number
  readonly periodUs: number
  /** Undefined without a limit. */
  readonly quotaUs: number | undefined
  /** 0 without a limit. */
  readonly memoryBytes: number
}

const limitsFor = (requests: Amounts, limits: Amounts, weightOf: (shares: number) => number): CgroupLimits => {
  const cpuLimit = milliValue(limits.cpu ?? 0)
  const request = requests.cpu === undefined ? cpuLimit : milliValue(requests.cpu)
  return {
    weight: weightOf(sharesOf(request)),
    periodUs: PERIOD_US,
    quotaUs: cpuLimit === 0 ? undefined : Math.max(Math.floor((cpuLimit * PERIOD_US) / 1000), MIN_QUOTA_US),
    memoryBytes: value(limits.memory ?? 0)
  }
}

const filesOf = ({ memoryBytes, periodUs, quotaUs, weight }: CgroupLimits): Files => ({
  "cpu.weight": `${weight}\n`,
  "cpu.max": `${quotaUs ?? "max"} ${periodUs}\n`,
  "memory.max": `${memoryBytes === 0 ? "max" : memoryBytes}\n`
})

/** Returns a container with the resources that it has, which differ from those of its spec during a resize. */
const actual = (container: Container, statuses: ReadonlyArray<ContainerStatus>): Container => {
  const resources = statuses.find(({ name }) => name === container.name)?.resources
  return resources === undefined ? container : { ...container, resources }
}

/** Returns the pod with the resources that it has. */
const actualPod = ({ pod, status }: Known): Pod => {
  const { containerStatuses = [], initContainerStatuses = [] } = status
  const { containers, initContainers } = pod.spec
  const of = (container: Container): Container => actual(container, [...containerStatuses, ...initContainerStatuses])
  const resources = status.resources ?? pod.spec.resources
  return {
    ...pod,
    spec: {
      ...pod.spec,
      containers: containers.map(of),
      ...(initContainers === undefined ? {} : { initContainers: initContainers.map(of) }),
      ...(resources === undefined ? {} : { resources })
    }
  }
}

const BLANK: Amounts = {}

/** Returns the limits of a pod, without those that some of its containers do not have. Upstream: ResourceConfigForPod. */
const declaredLimits = ({ spec }: Pod, limits: Amounts): Amounts => {
  const all = [...spec.containers, ...(spec.initContainers ?? [])]
  const isDeclared = (name: string): boolean =>
    spec.resources?.limits?.[name] !== undefined ||
    all.every(({ resources }) => resources?.limits?.[name] !== undefined)
  return Object.fromEntries(Object.entries(limits).filter(([name]) => isDeclared(name)))
}

/** Returns the folder of a pod's cgroup, as systemd's driver names it. */
export const cgroupFolder = (pod: Pod): string => {
  const qos = qosClassOf(pod).toLowerCase()
  const parent = qos === "guaranteed" ? "kubepods" : `kubepods-${qos}`
  const slice = `${parent}-pod${(pod.metadata.uid ?? "").replaceAll("-", "_")}.slice`
  return `kubepods.slice/${parent === "kubepods" ? "" : `${parent}.slice/`}${slice}`
}

/** Returns what the control group of a container may use. */
export const containerLimits = (served: Known, name: string): CgroupLimits => {
  const { containers, initContainers = [], resources } = actualPod(served).spec
  const container = [...containers, ...initContainers].find((each) => each.name === name)
  const limits = { ...resources?.limits, ...container?.resources?.limits }
  return limitsFor(container?.resources?.requests ?? BLANK, limits, containerWeight)
}

/** Returns what the control group of a pod may use. */
export const podCgroupLimits = (served: Known): CgroupLimits => {
  const pod = actualPod(served)
  return limitsFor({ cpu: 0, ...podRequests(pod) }, declaredLimits(pod, podLimits(pod)), podWeight)
}

/** Returns the files of a container's own cgroup, and its score for the kernel. */
export const cgroupFilesOf = (known: KnownContainer): Files => {
  const own = filesOf(containerLimits(known, known.container.name ?? ""))
  const files = Object.entries(own).map(([name, text]) => [`/sys/fs/cgroup/${name}`, text])
  const memory = value(known.capacity.memory ?? 0)
  const { containers, initContainers = [] } = known.pod.spec
  const container = [...containers, ...initContainers].find(({ name }) => name === known.container.name)
  if (container !== undefined && memory > 0)
    files.push(["/proc/1/oom_score_adj", `${oomScoreOf(known.pod, container, memory)}\n`])
  return Object.fromEntries(files)
}

/** Returns the files of the pod's cgroup by their path on the machine, which does not show those of other pods. */
export const podCgroupFiles = (known: KnownContainer): Files => {
  const folder = `/sys/fs/cgroup/${cgroupFolder(actualPod(known))}`
  const files = Object.entries(filesOf(podCgroupLimits(known)))
  return Object.fromEntries(files.map(([name, text]) => [`${folder}/${name}`, text]))
}

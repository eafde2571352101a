import {
  type FeatureGate,
  featureGatesOf,
  gateState,
  type Release,
  type ReleaseName,
  releaseNames,
  releases
} from "@rollcall/api"
import { span } from "@rollcall/text"

/** One thing that releases may differ in, told of each in the order of the columns. */
export interface Row {
  readonly what: string
  readonly cells: ReadonlyArray<string>
}

const yesNo = (value: boolean): string => (value ? "yes" : "no")

/** Every field of a release, in words. */
const fields: {
  readonly [Field in Exclude<keyof Release, "name" | "swap">]: readonly [
    what: string,
    tell: (value: Release[Field], release: Release, before: Release | undefined) => string
  ]
} = {
  version: ["calls itself", (value) => value],
  nodeMonitorGracePeriodSeconds: ["silence before a node counts as lost", span],
  podEviction: ["how pods leave a lost node", (value) => (value === "taints" ? "NoExecute taint" : "deleted")],
  podEvictionTimeoutSeconds: [
    "when they do",
    (value, { podEviction }) => (podEviction === "taints" ? "tolerationSeconds" : `${span(value)} of silence`)
  ],
  forcedDeletion: ["those that do not end", (value) => (value ? "removed by force" : "stay Terminating")],
  conditionTaints: ["conditions become NoSchedule taints", yesNo],
  defaultTolerations: ["pods get tolerations of 300s", yesNo],
  nodeLeases: ["heartbeats", (value) => (value ? "Lease and status" : "status alone")],
  nodeStatusReportFrequencySeconds: ["an unchanged status is sent each", span],
  kubeletConditions: [
    "conditions of a kubelet",
    (value, _, before) => conditionsText(value, before?.kubeletConditions)
  ],
  staleConditions: [
    "conditions that silence makes Unknown",
    (value, _, before) => conditionsText(value, before?.staleConditions)
  ],
  topologyManagerOptions: [
    "options of the topology manager",
    (value) => {
      const levels = [...new Set(Object.values(value))]
      return levels.length === 0 ? "none" : `${Object.keys(value).length}, ${levels.join(", ")}`
    }
  ],
  podsFitBy: [
    "a pod fits by",
    (value) => (value === "limitsInCapacity" ? "limits, capacity" : "requests, allocatable")
  ],
  daemonSetPods: ["DaemonSet pods", (value) => (value === "scheduled" ? "scheduled" : "bypass the scheduler")],
  safeSysctls: ["safe sysctls", (value) => String(value.length)],
  evictionHardSignals: ["hard eviction signals by default", (value) => String(value.length)],
  nodeLabelsRestricted: ["kubelets may set labels of kubernetes.io", (value) => (value ? "some" : "all")],
  nodeRestriction: ["kubelets may write", (value) => (value ? "their own Node" : "any Node")],
  configFlag: ["kubelet --config names", (value) => (value === "manifests" ? "static pods" : "its configuration")],
  failCgroupV1: ["kubelet starts on cgroup v1", (value) => yesNo(!value)],
  cgroupV1Warning: ["and warns of it", (value) => yesNo(value !== "")],
  cloudControllers: [
    "who asks the cloud",
    (value) => (value === "external" ? "cloud-controller-manager" : "the node controller")
  ]
}

const conditionsText = (value: ReadonlyArray<string>, before: ReadonlyArray<string> | undefined): string => {
  if (before === undefined) return value.join(", ")
  const gone = before.filter((type) => !value.includes(type)).map((type) => `- ${type}`)
  const fresh = value.filter((type) => !before.includes(type)).map((type) => `+ ${type}`)
  return gone.length + fresh.length === 0 ? "as before" : [...gone, ...fresh].join(", ")
}

const ofField = <Field extends keyof typeof fields>(field: Field, columns: ReadonlyArray<Release>): Row => {
  const [what, tell] = fields[field]
  return { what, cells: columns.map((release, index) => tell(release[field], release, columns[index - 1])) }
}

const ofSwap = (columns: ReadonlyArray<Release>): ReadonlyArray<Row> => [
  { what: "swapBehavior values", cells: columns.map(({ swap }) => swap.behaviours.join(", ") || "none") },
  { what: "an empty swapBehavior", cells: columns.map(({ swap }) => swap.defaultBehaviour ?? "-") },
  {
    what: "LimitedSwap gives",
    cells: columns.map(({ swap }) =>
      swap.behaviours.length === 0 ? "-" : swap.limitedSwap === "proportional" ? "a share" : "up to the memory limit"
    )
  },
  { what: "failSwapOn by default", cells: columns.map(({ swap }) => yesNo(swap.failSwapOn)) },
  { what: "nodes tell their swap", cells: columns.map(({ swap }) => yesNo(swap.inNodeInfo)) },
  { what: "stats tell containers' swap", cells: columns.map(({ swap }) => yesNo(swap.inStats)) }
]

const gateText = (release: Release, gate: FeatureGate): string => {
  const state = gateState(release, gate)
  return state === undefined ? "-" : `${state.stage} ${state.enabled ? "on" : "off"}`
}

const isSame = (cells: ReadonlyArray<string>): boolean => cells.every((cell) => cell === cells[0])

/** What the emulated releases say of themselves, as far as they differ. */
export const releaseRows = (names: ReadonlyArray<ReleaseName> = releaseNames): ReadonlyArray<Row> => {
  const columns = names.map((name) => releases[name])
  const rows = (Object.keys(fields) as ReadonlyArray<keyof typeof fields>).map((field) => ofField(field, columns))
  return [...rows, ...ofSwap(columns)].filter(({ cells }) => !isSame(cells))
}

/** Feature gates that do not stand alike in all of them. */
export const gateRows = (names: ReadonlyArray<ReleaseName> = releaseNames): ReadonlyArray<Row> => {
  const columns = names.map((name) => releases[name])
  return (Object.keys(featureGatesOf(releases["1.36"])).sort() as ReadonlyArray<FeatureGate>)
    .map((gate) => ({ what: gate, cells: columns.map((release) => gateText(release, gate)) }))
    .filter(({ cells }) => !isSame(cells))
}

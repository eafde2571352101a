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

/** A row of a comparison: a property or a measure, and its value in each column. */
export interface Row {
  readonly what: string
  readonly cells: ReadonlyArray<string>
}

const yesNo = (value: boolean): string => (value ? "yes" : "no")

/** The label of every field of a release, and the format of its value; `before` is the release in the column on the left. */
const fields: {
  readonly [Field in Exclude<keyof Release, "name" | "swap">]: readonly [
    what: string,
    format: (value: Release[Field], release: Release, before: Release | undefined) => string
  ]
} = {
  version: ["reported version", (value) => value],
  nodeMonitorGracePeriodSeconds: ["node monitor grace period", span],
  podEviction: ["how pods leave a lost node", (value) => (value === "taints" ? "NoExecute taint" : "deleted")],
  podEvictionTimeoutSeconds: [
    "delay before that",
    (value, { podEviction }) => (podEviction === "taints" ? "tolerationSeconds" : `${span(value)} of silence`)
  ],
  forcedDeletion: ["pods that do not stop", (value) => (value ? "force-deleted" : "stay Terminating")],
  conditionTaints: ["conditions become NoSchedule taints", yesNo],
  defaultTolerations: ["pods get tolerations of 300s", yesNo],
  nodeLeases: ["heartbeats", (value) => (value ? "Lease and status" : "status alone")],
  nodeStatusReportFrequencySeconds: ["interval of unchanged status updates", span],
  kubeletConditions: [
    "conditions of a kubelet",
    (value, _, before) => conditionsText(value, before?.kubeletConditions)
  ],
  staleConditions: [
    "conditions that become Unknown without heartbeats",
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
    "pods are scheduled by",
    (value) => (value === "limitsInCapacity" ? "limits, capacity" : "requests, allocatable")
  ],
  daemonSetPods: ["DaemonSet pods", (value) => (value === "scheduled" ? "scheduled" : "bypass the scheduler")],
  safeSysctls: ["safe sysctls", (value) => String(value.length)],
  evictionHardSignals: ["hard eviction signals by default", (value) => String(value.length)],
  nodeLabelsRestricted: ["kubelets may set labels of kubernetes.io", (value) => (value ? "some" : "all")],
  nodeRestriction: ["kubelets may write", (value) => (value ? "their own Node" : "any Node")],
  podSecurityMinor: ["newest Pod Security Standards", (value) => (value === undefined ? "none" : `v1.${value}`)],
  configFlag: ["kubelet --config names", (value) => (value === "manifests" ? "static pods" : "its configuration")],
  failCgroupV1: ["kubelet starts on cgroup v1", (value) => yesNo(!value)],
  cgroupV1Warning: ["kubelet warns of cgroup v1", (value) => yesNo(value !== "")],
  cloudControllers: [
    "cloud provider is called by",
    (value) => (value === "external" ? "cloud-controller-manager" : "the node controller")
  ]
}

/** Returns all conditions, or those that differ from the release before: `+ PIDPressure, - OutOfDisk`. */
const conditionsText = (value: ReadonlyArray<string>, before: ReadonlyArray<string> | undefined): string => {
  if (before === undefined) return value.join(", ")
  const removed = before.filter((type) => !value.includes(type)).map((type) => `- ${type}`)
  const added = value.filter((type) => !before.includes(type)).map((type) => `+ ${type}`)
  return removed.length + added.length === 0 ? "as before" : [...removed, ...added].join(", ")
}

const fieldRow = <Field extends keyof typeof fields>(field: Field, columns: ReadonlyArray<Release>): Row => {
  const [what, format] = fields[field]
  return { what, cells: columns.map((release, index) => format(release[field], release, columns[index - 1])) }
}

const swapRows = (columns: ReadonlyArray<Release>): ReadonlyArray<Row> => [
  { what: "swapBehavior values", cells: columns.map(({ swap }) => swap.behaviours.join(", ") || "none") },
  { what: "an empty swapBehavior", cells: columns.map(({ swap }) => swap.defaultBehaviour ?? "-") },
  {
    what: "LimitedSwap gives",
    cells: columns.map(({ swap }) =>
      swap.behaviours.length === 0 ? "-" : swap.limitedSwap === "proportional" ? "a share" : "up to the memory limit"
    )
  },
  { what: "failSwapOn by default", cells: columns.map(({ swap }) => yesNo(swap.failSwapOn)) },
  { what: "nodes report their swap", cells: columns.map(({ swap }) => yesNo(swap.inNodeInfo)) },
  { what: "stats report containers' swap", cells: columns.map(({ swap }) => yesNo(swap.inStats)) }
]

const gateText = (release: Release, gate: FeatureGate): string => {
  const state = gateState(release, gate)
  return state === undefined ? "-" : `${state.stage} ${state.enabled ? "on" : "off"}`
}

const isSame = (cells: ReadonlyArray<string>): boolean => cells.every((cell) => cell === cells[0])

/** Returns the properties in which the releases differ. */
export const releaseRows = (names: ReadonlyArray<ReleaseName> = releaseNames): ReadonlyArray<Row> => {
  const columns = names.map((name) => releases[name])
  const rows = (Object.keys(fields) as ReadonlyArray<keyof typeof fields>).map((field) => fieldRow(field, columns))
  return [...rows, ...swapRows(columns)].filter(({ cells }) => !isSame(cells))
}

/** Returns the feature gates whose stage or default differs between the releases. */
export const gateRows = (names: ReadonlyArray<ReleaseName> = releaseNames): ReadonlyArray<Row> => {
  const columns = names.map((name) => releases[name])
  return (Object.keys(featureGatesOf(releases["1.36"])).sort() as ReadonlyArray<FeatureGate>)
    .map((gate) => ({ what: gate, cells: columns.map((release) => gateText(release, gate)) }))
    .filter(({ cells }) => !isSame(cells))
}

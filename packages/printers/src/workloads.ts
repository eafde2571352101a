import {
  type ControllerRevision,
  type CronJob,
  type DaemonSet,
  type Deployment,
  formatLabelSelector,
  getControllerOf,
  type Job,
  type KubeObject,
  type LabelSelector,
  type PodTemplate,
  type PodTemplateSpec,
  parseTime,
  type ReplicaSet,
  type ReplicationController,
  type StatefulSet
} from "@rollcall/api"
import { humanDuration } from "@rollcall/api/printing"
import { ageColumn, type Column, column, labelsText, nameColumn, type Printer, printer, wideColumn } from "./Printer.ts"

interface Templated extends KubeObject {
  readonly spec?: {
    readonly template?: PodTemplateSpec | undefined
    readonly selector?: LabelSelector | undefined
  }
}

type Template = PodTemplateSpec | undefined

const namesOf = (template: Template): string => (template?.spec?.containers ?? []).map(({ name }) => name).join(",")

const imagesOf = (template: Template): string =>
  (template?.spec?.containers ?? []).map(({ image }) => image ?? "").join(",")

const templateColumns: ReadonlyArray<Column<Templated>> = [
  wideColumn("Containers", "string", "The containers of the template.", ({ spec }) => namesOf(spec?.template)),
  wideColumn("Images", "string", "Their images.", ({ spec }) => imagesOf(spec?.template))
]

const selectorColumn: Column<Templated> = wideColumn(
  "Selector",
  "string",
  "Which pods belong to it.",
  ({ spec }) => formatLabelSelector(spec?.selector) || "<none>"
)

const readyColumn: Column<Deployment | StatefulSet> = column(
  "Ready",
  "string",
  "Ready pods, of those that there shall be.",
  ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec.replicas ?? 1}`
)

const countColumns: ReadonlyArray<Column<ReplicaSet | ReplicationController>> = [
  column("Desired", "integer", "How many pods there shall be.", ({ spec }) => spec?.replicas ?? 1),
  column("Current", "integer", "How many pods there are.", ({ status }) => status?.replicas ?? 0),
  column("Ready", "integer", "How many of them are ready.", ({ status }) => status?.readyReplicas ?? 0),
  ageColumn
]

/** Upstream: pkg/printers/internalversion/printers.go, printDeployment. */
export const deployments: Printer = printer<Deployment>(
  nameColumn,
  readyColumn,
  column("Up-to-date", "string", "Pods of the newest template.", ({ status }) => status?.updatedReplicas ?? 0),
  column(
    "Available",
    "string",
    "Pods that have been ready for long enough.",
    ({ status }) => status?.availableReplicas ?? 0
  ),
  ageColumn,
  ...templateColumns,
  wideColumn("Selector", "string", "Which pods belong to it.", ({ spec }) => formatLabelSelector(spec.selector))
)

/** Upstream: printReplicaSet. */
export const replicaSets: Printer = printer<ReplicaSet>(nameColumn, ...countColumns, ...templateColumns, selectorColumn)

/** Upstream: printStatefulSet. */
export const statefulSets: Printer = printer<StatefulSet>(nameColumn, readyColumn, ageColumn, ...templateColumns)

/** Upstream: printDaemonSet. */
export const daemonSets: Printer = printer<DaemonSet>(
  nameColumn,
  column("Desired", "integer", "Nodes that shall run its pod.", ({ status }) => status?.desiredNumberScheduled ?? 0),
  column(
    "Current",
    "integer",
    "Nodes that run its pod, as they shall.",
    ({ status }) => status?.currentNumberScheduled ?? 0
  ),
  column("Ready", "integer", "Nodes where the pod is ready.", ({ status }) => status?.numberReady ?? 0),
  column(
    "Up-to-date",
    "integer",
    "Nodes with a pod of the newest template.",
    ({ status }) => status?.updatedNumberScheduled ?? 0
  ),
  column(
    "Available",
    "integer",
    "Nodes where the pod has been ready for long enough.",
    ({ status }) => status?.numberAvailable ?? 0
  ),
  column("Node Selector", "string", "Labels that a node must have.", ({ spec }) =>
    labelsText(spec.template.spec?.nodeSelector)
  ),
  ageColumn,
  ...templateColumns,
  selectorColumn
)

const completionsText = ({ spec, status }: Job): string => {
  const succeeded = status?.succeeded ?? 0
  if (spec.completions !== undefined) return `${succeeded}/${spec.completions}`
  const parallelism = spec.parallelism ?? 0
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`
}

const jobStatus = ({ metadata, status }: Job): string => {
  const has = (wanted: string): boolean =>
    status?.conditions?.some((condition) => condition.type === wanted && condition.status === "True") ?? false
  if (has("Complete")) return "Complete"
  if (has("Failed")) return "Failed"
  if (metadata.deletionTimestamp !== undefined) return "Terminating"
  return ["Suspended", "FailureTarget", "SuccessCriteriaMet"].find(has) ?? "Running"
}

const jobDuration = ({ status }: Job, nowMs: number): string => {
  if (status?.startTime === undefined) return ""
  const endMs = status.completionTime === undefined ? nowMs : parseTime(status.completionTime)
  return humanDuration(endMs - parseTime(status.startTime))
}

/** Upstream: printJob. */
export const jobs: Printer = printer<Job>(
  nameColumn,
  column("Status", "string", "How the job stands.", jobStatus),
  column("Completions", "string", "Pods that succeeded, of those that must.", completionsText),
  column("Duration", "string", "How long the job has taken.", jobDuration),
  ageColumn,
  ...templateColumns,
  selectorColumn
)

/** Upstream: printCronJob. */
export const cronJobs: Printer = printer<CronJob>(
  nameColumn,
  column("Schedule", "string", "When it starts jobs.", ({ spec }) => spec.schedule),
  column("Timezone", "string", "The time zone of the schedule.", ({ spec }) => spec.timeZone ?? "<none>"),
  column("Suspend", "boolean", "Whether it starts no more jobs.", ({ spec }) =>
    spec.suspend === undefined ? "<unset>" : spec.suspend ? "True" : "False"
  ),
  column("Active", "integer", "How many of its jobs run.", ({ status }) => status?.active?.length ?? 0),
  column("Last Schedule", "string", "How long ago it last started a job.", ({ status }, nowMs) =>
    status?.lastScheduleTime === undefined ? "<none>" : humanDuration(nowMs - parseTime(status.lastScheduleTime))
  ),
  ageColumn,
  wideColumn("Containers", "string", "The containers of the jobs.", ({ spec }) =>
    namesOf(spec.jobTemplate.spec.template)
  ),
  wideColumn("Images", "string", "Their images.", ({ spec }) => imagesOf(spec.jobTemplate.spec.template)),
  wideColumn(
    "Selector",
    "string",
    "Which pods belong to the jobs.",
    ({ spec }) => formatLabelSelector(spec.jobTemplate.spec.selector) || "<none>"
  )
)

/** Upstream: printReplicationController. */
export const replicationControllers: Printer = printer<ReplicationController>(
  nameColumn,
  ...countColumns,
  wideColumn("Containers", "string", "The containers of the template.", ({ spec }) => namesOf(spec?.template)),
  wideColumn("Images", "string", "Their images.", ({ spec }) => imagesOf(spec?.template)),
  wideColumn("Selector", "string", "Which pods belong to it.", ({ spec }) => labelsText(spec?.selector))
)

/** Upstream: printPodTemplate. */
export const podTemplates: Printer = printer<PodTemplate>(
  nameColumn,
  column("Containers", "string", "The containers of the template.", ({ template }) => namesOf(template)),
  column("Images", "string", "Their images.", ({ template }) => imagesOf(template)),
  column("Pod Labels", "string", "The labels of the pods.", ({ template }) => labelsText(template?.metadata?.labels))
)

/** Upstream: printControllerRevision. */
export const controllerRevisions: Printer = printer<ControllerRevision>(
  nameColumn,
  column("Controller", "string", "The workload whose template this was.", (object) => {
    const owner = getControllerOf(object)
    if (owner === undefined) return "<none>"
    const group = owner.apiVersion.includes("/") ? `.${owner.apiVersion.split("/")[0]}` : ""
    return `${`${owner.kind}${group}`.toLowerCase()}/${owner.name}`
  }),
  column("Revision", "string", "Its number among the workload's templates.", ({ revision }) => revision ?? 0),
  ageColumn
)

interface Scale extends KubeObject {
  readonly spec?: { readonly replicas?: number }
  readonly status?: { readonly replicas?: number }
}

/** The table of the scale subresource. Upstream: printScale. */
export const scales: Printer = printer<Scale>(
  { ...nameColumn, definition: { ...nameColumn.definition, format: "" } },
  column("Desired", "integer", "How many pods there shall be.", ({ spec }) => spec?.replicas ?? 0),
  column("Available", "integer", "How many pods there are.", ({ status }) => status?.replicas ?? 0),
  ageColumn
)

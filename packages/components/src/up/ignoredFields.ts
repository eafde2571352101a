import { leaderElectionSettings } from "@rollcall/control-plane"
import { readFlagList, settingFlags } from "@rollcall/flags/settings"
import { invalid } from "@rollcall/input"
import type { Plan } from "@rollcall/simulator"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

/** The programs of a live cluster that read scenarios. */
export type ScenarioReader = "rollcall up" | "rollcall kubelet" | "rollcall controller-manager"

type Path = ReadonlyArray<string>

interface Field {
  /** The path below `spec`. */
  readonly path: Path
  /** The programs in which it has an effect. */
  readonly usedBy: ReadonlyArray<ScenarioReader>
  /** The reason why it has no effect in the others. */
  readonly why: string
}

const up = "rollcall up"
const kubelet = "rollcall kubelet"
const manager = "rollcall controller-manager"
const all: ReadonlyArray<ScenarioReader> = [up, kubelet, manager]

const ONLY_IN_REHEARSALS = "only rollcall simulate does that"
const OTHER_PROGRAM = "it is for another program"
const ONE_EACH = "one kube-controller-manager and one kube-scheduler run, without leader election"
const FLEET = "rollcall up and rollcall kubelet --scenario make and change nodes"
const CLOUD = "the kubelets are started for a cloud, and rollcall cloud-controller-manager is one"

const field = (path: string, usedBy: ReadonlyArray<ScenarioReader>, why = ""): Field => ({
  path: path.split("."),
  usedBy,
  why
})

/** The fields of a scenario's `spec` with the programs that use them; the longest matching path counts. */
export const scenarioFields: ReadonlyArray<Field> = [
  field("release", all),
  field("seed", [up, kubelet], "nothing is left to chance there"),
  field("description", all),
  field("duration", [], `a live cluster runs until it is ended; ${ONLY_IN_REHEARSALS}`),
  field("expect", [], `nothing is judged; ${ONLY_IN_REHEARSALS}`),
  field("usage", [up, kubelet], FLEET),
  field("layers", [], "--layers brings layers there"),
  field("driver", [], `kubelets keep their own timing; ${ONLY_IN_REHEARSALS}`),
  field("events", [up, kubelet], FLEET),
  field("cluster.nodes", [up, kubelet], FLEET),
  field("cluster.manifests", [up, kubelet], FLEET),
  field("cluster.objects", [up, kubelet], FLEET),
  field("cluster.snapshot", [], "nodes of a live cluster register by themselves"),
  field("cluster.controlPlane", [], ONE_EACH),
  field("config.kubeControllerManager", [up, manager], OTHER_PROGRAM),
  field("config.kubeControllerManager.generic.leaderElection", [], "--leader-elect and its kin, or --config, say it"),
  field("config.kubeApiserver", [up], OTHER_PROGRAM),
  field("config.apiserver", [up], OTHER_PROGRAM),
  field("config.scheduler", [up], OTHER_PROGRAM),
  field("config.scheduler.leaderElection", [], ONE_EACH),
  field("config.kubelet", [up, kubelet], OTHER_PROGRAM),
  field("config.cloudProvider", [up], CLOUD),
  field("config.cloudControllerManager", [up], OTHER_PROGRAM),
  field("flags.kube-controller-manager", [up, manager], OTHER_PROGRAM),
  field("flags.kube-apiserver", [up], OTHER_PROGRAM),
  field("flags.kube-scheduler", [up], OTHER_PROGRAM),
  field("flags.cloud-controller-manager", [up], OTHER_PROGRAM),
  field("flags.kubelet", [up, kubelet], OTHER_PROGRAM)
]

const isElection = ({ path }: Field): boolean => path.includes("leaderElection")
const isControlPlane = ({ path }: Field): boolean => path.includes("controlPlane")

const reasonIn = (reader: ScenarioReader, scenarioField: Field): string => {
  if (reader === up && isElection(scenarioField)) return ONE_EACH
  return reader !== up && isControlPlane(scenarioField) ? OTHER_PROGRAM : scenarioField.why
}

const isWithin = (inner: Path, outer: Path): boolean =>
  inner.length > outer.length && outer.every((key, index) => inner[index] === key)

const valueAt = (spec: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined,
    spec
  )

const leaderElectionFlags = settingFlags(leaderElectionSettings("leaderElection"))

/**
 * Returns one warning for each leader election flag, whose file fields are in the table above. The flags of a plan are
 * valid.
 */
const ignoredElectionFlags = (reader: ScenarioReader, { file, written }: Plan): ReadonlyArray<string> =>
  Object.entries(written.flags ?? {}).flatMap(([component, flags]) => {
    const isRead = scenarioFields.some(({ usedBy, path }) => path[1] === component && usedBy.includes(reader))
    const why = reader === up ? ONE_EACH : "give it on the command line"
    const read = readFlagList(component, leaderElectionFlags, { file, path: `spec.flags.${component}` }, flags)
    if (!isRead || Result.isFailure(read)) return []
    return [...read.success.paths].map(
      ([name, path]) => `${file}: ${path}: --${name} has no effect in ${reader}: ${why}`
    )
  })

const ignoredNodes = ({ objects }: Plan): ReadonlyArray<string> =>
  objects.flatMap(({ file, kind, object, path }) => {
    const where = path === "" ? file : `${file}: ${path}`
    const name = object.metadata.name ?? ""
    return kind === "Node" ? [`${where}: Node ${name} is left out: nodes of a live cluster register by themselves`] : []
  })

/** Returns one warning for each field of a scenario without effect in a live program. */
export const ignoredFields = (reader: ScenarioReader, plan: Plan): ReadonlyArray<string> => {
  const { file, written } = plan
  const ignored = scenarioFields.filter(
    ({ usedBy, path }) => !usedBy.includes(reader) && valueAt(written, path) !== undefined
  )
  const fields = ignored
    .filter(({ path }) => !ignored.some((other) => isWithin(path, other.path)))
    .map(
      (scenarioField) =>
        `${file}: spec.${scenarioField.path.join(".")} has no effect in ${reader}: ${reasonIn(reader, scenarioField)}`
    )
  return [...fields, ...ignoredElectionFlags(reader, plan), ...(reader === manager ? [] : ignoredNodes(plan))]
}

/** Refuses faults of components that a fleet of kubelets does not run: they would only be log lines. */
export const checkPlayable = (reader: ScenarioReader, { events, file }: Plan) => {
  if (reader !== kubelet) return Effect.void
  const unsupportedEvent = events.find(
    ({ what }) => "fault" in what && (what.fault === "controller-restart" || what.fault.startsWith("cloud-"))
  )
  return unsupportedEvent === undefined || !("fault" in unsupportedEvent.what)
    ? Effect.void
    : Effect.fail(
        invalid(
          file,
          `spec.events[${unsupportedEvent.index}].fault`,
          `found "${unsupportedEvent.what.fault}", expected a fault of kubelets or their machines: in rollcall kubelet neither controllers nor a cloud run`
        )
      )
}

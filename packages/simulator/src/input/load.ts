import { isKindName, type Node, parseDuration, type Release } from "@rollcall/api"
import type { Elections, Placing } from "@rollcall/control-plane"
import { checkIpam, planLeaderElection } from "@rollcall/control-plane"
import {
  checkStrictly,
  didYouMean,
  InvalidInput,
  invalid,
  type Problem,
  releaseOfName,
  type SettingValues
} from "@rollcall/input"
import { type Document, readDocuments } from "@rollcall/input/documents"
import type { KubeletConfig, KubeletSettings } from "@rollcall/kubelet"
import type { MachineGroup } from "@rollcall/machines"
import {
  DEFAULT_CAPACITY,
  type PlannedCloud,
  planCloud,
  refusedResources,
  resolveKubeletInput
} from "@rollcall/machines"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import { completeSnapshot } from "../snapshot/completeSnapshot.ts"
import { type Coverage, coverageOf } from "../snapshot/coverage.ts"
import { GAPLESS, gapsOf } from "../snapshot/gaps.ts"
import { initialHealthWarnings } from "../snapshot/initialHealthWarnings.ts"
import type { OutsideOwner } from "../snapshot/outsideOwners.ts"
import { type Silence, silentNodes } from "../snapshot/silentNodes.ts"
import { cloudProblems } from "./cloud.ts"
import { readSettings } from "./componentSettings.ts"
import { type PlannedEvent, planEvents } from "./events.ts"
import { type PlannedExpectation, planExpectations } from "./expectations.ts"
import { knownNodes, planGroups } from "./groups.ts"
import { ineffective, podsOfNoNode, unreadManifests } from "./ineffective.ts"
import { isRehearsedKind, loadedKinds } from "./kinds.ts"
import { type LayersFile, planLayers } from "./layers.ts"
import { type LoadedObject, loadObjects } from "./objects.ts"
import { ofAnotherRelease } from "./ofAnotherRelease.ts"
import { ScenarioDocument } from "./Scenario.ts"
import { applySets } from "./sets.ts"
import { unshownVolumes } from "./snapshotVolumes.ts"
import { planStorage, type StoragePlan } from "./storage.ts"
import { unknownFields } from "./unknownFields.ts"

/** A scenario ready to run: every file read, every name checked. */
export interface Plan {
  readonly file: string
  readonly name: string
  readonly description: string
  readonly release: Release
  readonly seed: number
  readonly durationMs: number
  readonly groups: ReadonlyArray<MachineGroup>
  /** Objects of a real cluster, restored as they are. */
  readonly snapshot: ReadonlyArray<LoadedObject>
  /** Owners that the snapshot's objects name and that it lacks: they are taken to be there, and to do nothing. */
  readonly outside: ReadonlyArray<OutsideOwner>
  /** Workloads of the snapshot of which it is not known how many pods are theirs: `Deployment/default/web`. */
  readonly unknown: ReadonlySet<string>
  /** Nodes of the snapshot that had fallen silent, though the API did not know it yet. */
  readonly silent: ReadonlySet<string>
  /** Objects to create at time 0, in order. */
  readonly objects: ReadonlyArray<LoadedObject>
  readonly settings: {
    readonly controllerManager: SettingValues
    readonly apiServer: SettingValues
    readonly scheduler: SettingValues
    readonly placing: Placing
    readonly kubelet: KubeletSettings
  }
  /** As it is written: for readers that take only a part of it. */
  readonly written: ScenarioDocument["spec"]
  /** How many machines the control plane has: each runs a kube-controller-manager and a kube-scheduler. */
  readonly replicas: number
  readonly elections: Elections
  /** Of kubelets in no group: those of a snapshot's Nodes. */
  readonly kubelet: KubeletConfig
  /** The cloud that the machines are of; undefined: none. */
  readonly cloud: PlannedCloud | undefined
  readonly driver: ScenarioDocument["spec"]["driver"]
  /** Files of layers for ports of its world; whoever runs it has loaded them. */
  readonly layers: ReadonlyArray<LayersFile>
  readonly events: ReadonlyArray<PlannedEvent>
  /** What volumes need; undefined: there are none. */
  readonly storage: StoragePlan | undefined
  /** Objects that an event applies, deletes or patches, by the event's index. */
  readonly eventObjects: ReadonlyMap<number, ReadonlyArray<LoadedObject>>
  readonly expectations: ReadonlyArray<PlannedExpectation>
  /** What was understood but has no effect here. */
  readonly warnings: ReadonlyArray<string>
}

export interface LoadOptions {
  /** `spec.path=value`, applied before anything is checked. */
  readonly set?: ReadonlyArray<string>
  readonly seed?: number | undefined
  readonly until?: string | undefined
  /** The release of a command line, which counts more than the scenario's. */
  readonly release?: string | undefined
  /** It is played live, where there is no end: what would be after it happens. */
  readonly isEndless?: boolean
}

const checkScenario = checkStrictly(ScenarioDocument)

const isScenario = ({ value }: Document): boolean =>
  typeof value === "object" && value !== null && (value as { readonly kind?: unknown }).kind === "Scenario"

const readManifests = Effect.fnUntraced(function* (
  file: string,
  names: ReadonlyArray<string>,
  where: string,
  warnings: Array<string>
) {
  const path = yield* Path.Path
  const loaded: Array<LoadedObject> = []
  for (const [index, name] of names.entries()) {
    const documents = yield* readDocuments(path.resolve(path.dirname(file), name), `${file} at ${where}[${index}]`)
    for (const object of yield* loadObjects(documents, warnings)) loaded.push(object)
  }
  return loaded
})

/** The objects of a real cluster, and what their files say of themselves. */
const readSnapshot = Effect.fnUntraced(function* (file: string, names: ReadonlyArray<string>, warnings: Array<string>) {
  const path = yield* Path.Path
  const documents: Array<Document> = []
  for (const [index, name] of names.entries()) {
    const where = `${file} at spec.cluster.snapshot[${index}]`
    for (const document of yield* readDocuments(path.resolve(path.dirname(file), name), where)) documents.push(document)
  }
  return { loaded: yield* loadObjects(documents, warnings), coverage: coverageOf(documents) }
})

/** What cannot be known from a snapshot, and what is made of that. */
const snapshotWarnings = (
  loaded: ReadonlyArray<LoadedObject>,
  coverage: Coverage,
  silence: Silence
): ReadonlyArray<string> => {
  const gaps = gapsOf(loaded, coverage, "simulate")
  const nodes = loaded.flatMap(({ kind, object }) => (kind === "Node" ? [object as Node] : []))
  return [
    ...initialHealthWarnings(nodes, silence),
    ...gaps.map(({ message }) => message),
    ...(gaps.length === 0 ? [] : [GAPLESS])
  ]
}

const inline = (file: string, where: string, objects: ReadonlyArray<unknown>): ReadonlyArray<Document> =>
  objects.map((value, index) => ({ file, path: `${where}[${index}]`, value }))

const loadEventObjects = Effect.fnUntraced(function* (
  file: string,
  events: ReadonlyArray<PlannedEvent>,
  warnings: Array<string>
) {
  const byIndex = new Map<number, ReadonlyArray<LoadedObject>>()
  for (const { index, spec } of events) {
    const where = `spec.events[${index}]`
    const reference = spec.object
    if (reference !== undefined && !isRehearsedKind(reference.kind)) {
      return yield* invalid(
        file,
        `${where}.object.kind`,
        `unknown kind "${reference.kind}"${didYouMean(reference.kind, loadedKinds)}`
      )
    }
    const loaded = [
      ...(yield* loadObjects(inline(file, `${where}.objects`, spec.objects ?? []), warnings)),
      ...(yield* readManifests(file, spec.manifests ?? [], `${where}.manifests`, warnings))
    ]
    if (loaded.length > 0) byIndex.set(index, loaded)
  }
  return byIndex
})

/** Of all kubelets, and of groups that have more to say than those. */
const manifestWarnings = (file: string, shared: KubeletConfig, groups: ReadonlyArray<MachineGroup>) => [
  ...unreadManifests(file, "spec.config.kubelet", shared),
  ...groups.flatMap(({ kubelet }, index) =>
    kubelet.staticPodPath === shared.staticPodPath && kubelet.staticPodURL === shared.staticPodURL
      ? []
      : unreadManifests(file, `spec.cluster.nodes[${index}].kubelet`, kubelet)
  )
]

/** Loads the one scenario of a document: reads what it names, and checks all of it before anything runs. */
const planScenario = Effect.fnUntraced(function* (
  document: Document,
  extra: ReadonlyArray<Document>,
  options: LoadOptions
) {
  const { file } = document
  const warnings: Array<string> = []
  const value = yield* Effect.fromResult(applySets(document.value, options.set ?? []))
  const { metadata, spec } = yield* Effect.fromResult(checkScenario(file, value, document.path))
  const { cluster } = spec
  const release = yield* Effect.fromResult(
    options.release === undefined
      ? releaseOfName(file, spec.release)
      : releaseOfName("command line", options.release, "--release")
  )
  const ofSettings: Array<string> = []
  const given = yield* readSettings(file, spec, release, ofSettings)
  // Recordings are of one process that elects nobody.
  const elects = spec.driver === undefined
  const electionOf = (path: string, values: SettingValues) =>
    Effect.fromResult(planLeaderElection(file, `spec.config.${path}`, values, elects))
  const managing = yield* electionOf("kubeControllerManager.generic.leaderElection", given.controllerManager)
  const placing = yield* electionOf("scheduler.leaderElection", given.scheduler)
  const settings = { ...given, controllerManager: managing.rest, scheduler: placing.rest }
  yield* Effect.fromResult(checkIpam(file, "spec.config.kubeControllerManager", settings.controllerManager))
  const shared = yield* Effect.fromResult(resolveKubeletInput(settings.kubelet, release))
  const groups = yield* planGroups(file, cluster.nodes ?? [], settings.kubelet, release, warnings)
  const shown = yield* readSnapshot(file, cluster.snapshot ?? [], warnings)
  const complete = completeSnapshot(shown.loaded, shown.coverage)
  const silence = silentNodes(shown.loaded, shown.coverage.takenMs)
  const snapshot = complete.objects
  const objects = [
    ...(yield* readManifests(file, cluster.manifests ?? [], "spec.cluster.manifests", warnings)),
    ...(yield* loadObjects(inline(file, "spec.cluster.objects", cluster.objects ?? []), warnings)),
    ...(yield* loadObjects(extra, warnings))
  ]
  const known = knownNodes(groups, [...snapshot, ...objects], spec.events)
  for (const { kind, object } of [...snapshot, ...objects]) {
    if (kind !== "Node") continue
    const { metadata, status } = object as Node
    const capacity = { ...DEFAULT_CAPACITY, ...status?.capacity }
    const refusal = refusedResources({ config: shared.config, capacity }, release)
    if (refusal === undefined) continue
    return yield* invalid(
      file,
      "spec.config.kubelet",
      `the kubelet of ${metadata.name ?? ""} would not start: ${refusal}`
    )
  }
  if (known.names.size === 0) {
    return yield* invalid(file, "spec.cluster", "has no nodes, expected a snapshot with nodes, groups or Node objects")
  }
  const durationMs = parseDuration(options.until ?? spec.duration)
  if (!(durationMs > 0)) {
    return options.until === undefined
      ? yield* invalid(file, "spec.duration", `found ${JSON.stringify(spec.duration)}, expected a duration above 0`)
      : yield* invalid("--until", "", `found ${JSON.stringify(options.until)}, expected a duration above 0 such as 30m`)
  }
  warnings.push(
    ...(options.isEndless === true ? [] : ineffective(file, spec)),
    ...manifestWarnings(file, shared.config, groups),
    ...(known.mayGrow ? [] : podsOfNoNode([...snapshot, ...objects], known.names)),
    ...ofSettings,
    ...ofAnotherRelease(file, release, settings),
    ...shared.warnings
  )
  const planned = planEvents(file, spec.events ?? [], known)
  const applies = (spec.events ?? []).some((event) => event.do === "apply")
  const lacks = (kind: string): boolean =>
    shown.loaded.length > 0 &&
    !(isKindName(kind) && shown.coverage.whole.has(kind)) &&
    !shown.loaded.some((loaded) => loaded.kind === kind)
  const expected = planExpectations(
    file,
    spec.expect ?? [],
    known,
    applies ? undefined : { objects: [...snapshot, ...objects], lacks }
  )
  const eventObjects = yield* loadEventObjects(file, planned.events, warnings)
  const ofLayers = yield* planLayers(file, spec.layers ?? [])
  const problems: ReadonlyArray<Problem> = [
    ...unknownFields([...objects, ...[...eventObjects.values()].flat()]),
    ...planned.problems,
    ...ofLayers.problems,
    ...cloudProblems(file, spec.config?.cloudProvider, spec.events),
    ...expected.problems
  ]
  if (problems.length > 0) return yield* new InvalidInput({ problems })
  warnings.push(...snapshotWarnings(shown.loaded, shown.coverage, silence).map((warning) => `${file}: ${warning}`))
  const unshown = unshownVolumes(snapshot)
  warnings.push(...unshown.warnings.map((warning) => `${file}: ${warning}`))
  const storage = planStorage([...snapshot, ...unshown.objects, ...objects, ...[...eventObjects.values()].flat()])
  warnings.push(...(storage?.warnings ?? []).map((warning) => `${file}: ${warning}`))
  const plan: Plan = {
    file,
    name: metadata.name,
    description: spec.description ?? "",
    release,
    seed: options.seed ?? spec.seed ?? 1,
    durationMs,
    groups,
    snapshot: [...snapshot, ...unshown.objects],
    outside: complete.outside,
    unknown: complete.unknown,
    silent: silence.names,
    objects,
    settings,
    written: spec,
    replicas: cluster.controlPlane?.replicas ?? 1,
    elections: { controllerManager: managing.election, scheduler: placing.election },
    kubelet: shared.config,
    cloud:
      spec.config?.cloudProvider === undefined
        ? undefined
        : planCloud(spec.config.cloudProvider, settings.cloudControllers),
    driver: spec.driver,
    layers: ofLayers.files,
    storage,
    events: planned.events,
    eventObjects,
    expectations: expected.expectations,
    warnings
  }
  return plan
})

/**
 * Reads scenarios from files. A file may hold several documents; Kubernetes objects beside a scenario are created with its
 * own, at time 0. Fails with every problem found, before anything has run.
 */
export const loadScenarios = Effect.fnUntraced(function* (files: ReadonlyArray<string>, options: LoadOptions = {}) {
  const documents: Array<Document> = []
  for (const file of files) for (const document of yield* readDocuments(file)) documents.push(document)
  const scenarios = documents.filter(isScenario)
  const others = documents.filter((document) => !isScenario(document))
  const first = documents[0]
  if (scenarios.length === 0 && first !== undefined) {
    const result = checkScenario(first.file, first.value, first.path)
    return yield* Result.isFailure(result) ? result.failure : invalid(first.file, "", "holds no Scenario")
  }
  const astray = others.find(
    ({ file }) => scenarios.length > 1 && !scenarios.some((scenario) => scenario.file === file)
  )
  if (astray !== undefined) {
    return yield* invalid(
      astray.file,
      astray.path,
      "holds no Scenario, and could belong to several; name it in spec.cluster.manifests of those it belongs to"
    )
  }
  return yield* Effect.forEach(scenarios, (document) =>
    planScenario(
      document,
      others.filter((other) => other.file === document.file || scenarios.length === 1),
      options
    )
  )
})

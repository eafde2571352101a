import { isKindName, type Node, parseDuration, type Release } from "@rollcall/api"
import { checkIpam, type LeaderElectionSettings, planLeaderElection } from "@rollcall/control-plane"
import { checkStrictly, InvalidInput, invalid, type Problem, releaseOfName, wrongValue } from "@rollcall/input"
import { type Document, readDocuments, withLinesWhere } from "@rollcall/input/documents"
import type { KubeletConfig } from "@rollcall/kubelet"
import type { MachineGroup } from "@rollcall/machines"
import { DEFAULT_CAPACITY, planCloud, refusedResources, resolveKubeletInput } from "@rollcall/machines"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { completeSnapshot } from "../snapshot/completeSnapshot.ts"
import type { Coverage } from "../snapshot/coverage.ts"
import { GAP_ADVICE, gapsOf } from "../snapshot/gaps.ts"
import { initialHealthWarnings } from "../snapshot/initialHealthWarnings.ts"
import { type Silence, silentNodes } from "../snapshot/silentNodes.ts"
import { cloudProblems } from "./cloud.ts"
import { readSettings } from "./componentSettings.ts"
import { planEvents } from "./events.ts"
import { planExpectations } from "./expectations.ts"
import { knownNodes, planGroups } from "./groups.ts"
import { ineffective, podsOfNoNode, unreadManifests } from "./ineffective.ts"
import { planLayers } from "./layers.ts"
import { type LoadedObject, loadObjects } from "./objects.ts"
import { ofAnotherRelease } from "./ofAnotherRelease.ts"
import type { Plan } from "./Plan.ts"
import { ScenarioDocument } from "./Scenario.ts"
import { inline, loadEventObjects, readManifests, readSnapshot } from "./scenarioObjects.ts"
import { applySets, isReplaced } from "./sets.ts"
import { unshownVolumes } from "./snapshotVolumes.ts"
import { planStorage } from "./storage.ts"
import { unknownFields } from "./unknownFields.ts"

export interface LoadOptions {
  /** `spec.path=value`, applied before anything is checked. */
  readonly set?: ReadonlyArray<string>
  readonly seed?: number | undefined
  readonly until?: string | undefined
  /** The release of a command line, which counts more than the scenario's. */
  readonly release?: string | undefined
  /** It is played live, where there is no end: what would be after it happens. */
  readonly isEndless?: boolean
  /** The caller runs it with layers: these may bring plugins that its scheduler's configuration names, which are checked when it runs. */
  readonly hasLayers?: boolean
}

const checkScenario = checkStrictly(ScenarioDocument)

const isScenario = ({ value }: Document): boolean =>
  typeof value === "object" && value !== null && (value as { readonly kind?: unknown }).kind === "Scenario"

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
    ...(gaps.length === 0 ? [] : [GAP_ADVICE])
  ]
}

/** Of all kubelets, and of groups that have more to say than those. */
const manifestWarnings = (file: string, shared: KubeletConfig, groups: ReadonlyArray<MachineGroup>) => [
  ...unreadManifests(file, "spec.config.kubelet", shared),
  ...groups.flatMap(({ kubelet }, index) =>
    kubelet.staticPodPath === shared.staticPodPath && kubelet.staticPodURL === shared.staticPodURL
      ? []
      : unreadManifests(file, `spec.cluster.nodes[${index}].kubelet`, kubelet)
  )
]

/** Every Node of the cluster has a kubelet of this configuration, which must be one that starts there. */
const checkKubelets = Effect.fnUntraced(function* (
  file: string,
  objects: ReadonlyArray<LoadedObject>,
  config: KubeletConfig,
  release: Release
) {
  for (const { kind, object } of objects) {
    if (kind !== "Node") continue
    const { metadata, status } = object as Node
    const capacity = { ...DEFAULT_CAPACITY, ...status?.capacity }
    const refusal = refusedResources({ config, capacity }, release)
    if (refusal === undefined) continue
    return yield* invalid(
      file,
      "spec.config.kubelet",
      `the kubelet of ${metadata.name ?? ""} would not start: ${refusal}`
    )
  }
})

/** Until when it runs: `until` of a command line counts more than the scenario's duration. */
const durationOf = Effect.fnUntraced(function* (file: string, duration: number | string, until: string | undefined) {
  const durationMs = parseDuration(until ?? duration)
  if (durationMs > 0) return durationMs
  return until === undefined
    ? yield* invalid(file, "spec.duration", wrongValue(duration, "a duration above 0"))
    : yield* invalid("--until", "", wrongValue(until, "a duration above 0 such as 30m"))
})

/** Loads the one scenario of a document: reads what it names, and checks all of it before anything runs. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: reads a scenario section by section; each line needs those before it.
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
  const settings = yield* readSettings(file, spec, release, ofSettings)
  if (options.hasLayers !== true && (spec.layers ?? []).length === 0) yield* Effect.fromResult(settings.placing({}))
  // Recordings are of one process that elects nobody.
  const elects = spec.driver === undefined
  const electionOf = (path: string, given: LeaderElectionSettings) =>
    Effect.fromResult(planLeaderElection(file, `spec.config.${path}`, given, elects))
  const elections = {
    controllerManager: yield* electionOf("kubeControllerManager.generic.leaderElection", settings.controllerManager),
    scheduler: yield* electionOf("scheduler.leaderElection", settings.scheduler)
  }
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
  yield* checkKubelets(file, [...snapshot, ...objects], shared.config, release)
  if (known.names.size === 0) {
    return yield* invalid(file, "spec.cluster", "has no nodes, expected a snapshot with nodes, groups or Node objects")
  }
  const durationMs = yield* durationOf(file, spec.duration, options.until)
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
    elections,
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

/** Names the document in the paths of a scenario's problems, where its file holds several. */
const inDocument =
  ({ file, path: document }: Document) =>
  <E>(error: E): E => {
    if (document === "" || !(error instanceof InvalidInput)) return error
    const placed = (problem: Problem): Problem =>
      problem.file !== file || problem.path.startsWith("document ")
        ? problem
        : { ...problem, path: problem.path === "" ? document : `${document}.${problem.path}` }
    return new InvalidInput({ problems: error.problems.map(placed) }) as E
  }

const readScenarios = Effect.fnUntraced(function* (files: ReadonlyArray<string>, options: LoadOptions) {
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
    ).pipe(Effect.mapError(inDocument(document)))
  )
})

/**
 * Reads scenarios from files. A file may hold several documents; Kubernetes objects beside a scenario are created with its
 * own, at time 0. Fails with every problem found, before anything has run; each has the line
 * of its file, where that is known.
 */
export const loadScenarios = (files: ReadonlyArray<string>, options: LoadOptions = {}) =>
  readScenarios(files, options).pipe(withLinesWhere(({ path }) => !isReplaced(options.set ?? [], path)))

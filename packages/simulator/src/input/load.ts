import { isKindName, type Node, parseDuration } from "@rollcall/api"
import { checkIpam, type LeaderElectionSettings, planLeaderElection } from "@rollcall/control-plane"
import { checkStrictly, InvalidInput, invalid, type Problem, releaseOfName, wrongValue } from "@rollcall/input"
import { type Document, readDocuments, withLineNumbersWhere } from "@rollcall/input/documents"
import type { KubeletConfig } from "@rollcall/kubelet"
import type { MachineGroup } from "@rollcall/machines"
import { planCloud, resolveKubeletInput } from "@rollcall/machines"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { completeSnapshot } from "../snapshot/completeSnapshot.ts"
import type { Coverage } from "../snapshot/coverage.ts"
import { gapAdvice, gapsOf } from "../snapshot/gaps.ts"
import { initialHealthWarnings } from "../snapshot/initialHealthWarnings.ts"
import { type LatestObjects, latestOfEach } from "../snapshot/latestOfEach.ts"
import { schedulersOf } from "../snapshot/schedulerGaps.ts"
import { type Silence, silentNodes } from "../snapshot/silentNodes.ts"
import { planUsage } from "../usage/UsageSpec.ts"
import { cloudProblems } from "./cloud.ts"
import { readSettings } from "./componentSettings.ts"
import { planEvents } from "./events.ts"
import { planExpectations } from "./expectations.ts"
import { checkKubelets, knownNodes, planGroups } from "./groups.ts"
import {
  certificateWarnings,
  ineffectiveWarnings,
  missingNodeWarnings,
  staticPodSourceWarnings
} from "./ineffective.ts"
import { planLayers } from "./layers.ts"
import { type LoadedObject, loadObjects } from "./objects.ts"
import { releaseWarnings } from "./ofAnotherRelease.ts"
import type { Plan } from "./Plan.ts"
import { ScenarioDocument } from "./Scenario.ts"
import { inlineDocuments, loadEventObjects, readManifests, readSnapshot } from "./scenarioObjects.ts"
import { applyOverrides, isOverridden } from "./sets.ts"
import { assumedVolumes } from "./snapshotVolumes.ts"
import { startTimeOf } from "./startTime.ts"
import { planStorage } from "./storage.ts"
import { unknownFields } from "./unknownFields.ts"
import { unwritableNodes } from "./unwritableNodes.ts"

export interface LoadOptions {
  /** Overrides of fields of the scenario, `spec.path=value`, which are applied before it is checked. */
  readonly set?: ReadonlyArray<string>
  /** The seed of the command line, which overrides the scenario's. */
  readonly seed?: number | undefined
  /** The duration of the command line, such as `30m`, which overrides the scenario's. */
  readonly until?: string | undefined
  /** The release of the command line, which overrides the scenario's. */
  readonly release?: string | undefined
  /** Whether the scenario is played on a live cluster, which runs on after its duration: events after it happen too. */
  readonly isEndless?: boolean
  /**
   * Whether the caller adds layers. They may have scheduler plugins that the scenario names, so those names are checked only when it runs.
   */
  readonly hasLayers?: boolean
}

const checkScenario = checkStrictly(ScenarioDocument)

/** Returns the kind of a document with an object of Kubernetes, or with several. */
const objectKindOf = ({ value }: Document): string | undefined => {
  const { kind } = (value ?? {}) as { readonly kind?: unknown }
  return typeof kind === "string" && (isKindName(kind) || kind.endsWith("List")) ? kind : undefined
}

const isScenario = ({ value }: Document): boolean =>
  typeof value === "object" && value !== null && (value as { readonly kind?: unknown }).kind === "Scenario"

/** Returns the warnings about what a snapshot lacks, and what the rehearsal assumes instead. */
const snapshotWarnings = (
  latest: LatestObjects<LoadedObject>,
  coverage: Coverage,
  silence: Silence,
  schedulers: ReadonlySet<string>
): ReadonlyArray<string> => {
  const gaps = gapsOf(latest, coverage, "simulate", schedulers)
  const nodes = latest.objects.flatMap(({ kind, object }) => (kind === "Node" ? [object as Node] : []))
  return [...initialHealthWarnings(nodes, silence), ...gaps.map(({ message }) => message), ...gapAdvice(gaps)]
}

/** Returns the warnings about static pod sources of all kubelets, and of groups whose sources differ from those. */
const manifestWarnings = (file: string, shared: KubeletConfig, groups: ReadonlyArray<MachineGroup>) => [
  ...staticPodSourceWarnings(file, "spec.config.kubelet", shared),
  ...groups.flatMap(({ kubelet }, index) =>
    kubelet.staticPodPath === shared.staticPodPath && kubelet.staticPodURL === shared.staticPodURL
      ? []
      : staticPodSourceWarnings(file, `spec.cluster.nodes[${index}].kubelet`, kubelet)
  )
]

/** Returns the duration of a scenario in milliseconds; `until`, that of the command line, overrides it. Fails unless it is above 0. */
const durationOf = Effect.fnUntraced(function* (file: string, duration: number | string, until: string | undefined) {
  const durationMs = parseDuration(until ?? duration)
  if (durationMs > 0) return durationMs
  return until === undefined
    ? yield* invalid(file, "spec.duration", wrongValue(duration, "a duration above 0"))
    : yield* invalid("--until", "", wrongValue(until, "a duration above 0 such as 30m"))
})

/**
 * Plans the scenario of a document: reads the files that it names, and checks it as a whole. `extra` are documents with objects that it
 * creates too.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: reads a scenario section by section; each line needs those before it.
const planScenario = Effect.fnUntraced(function* (
  document: Document,
  extra: ReadonlyArray<Document>,
  options: LoadOptions
) {
  const { file } = document
  const warnings: Array<string> = []
  const value = yield* Effect.fromResult(applyOverrides(document.value, options.set ?? []))
  const { metadata, spec } = yield* Effect.fromResult(checkScenario(file, value, document.path))
  const { cluster } = spec
  const release = yield* Effect.fromResult(
    options.release === undefined
      ? releaseOfName(file, spec.release)
      : releaseOfName("command line", options.release, "--release")
  )
  const settingWarnings: Array<string> = []
  const settings = yield* readSettings(file, spec, release, settingWarnings)
  if (options.hasLayers !== true && (spec.layers ?? []).length === 0) yield* Effect.fromResult(settings.placing({}))
  // A recorded run had one process of each component, without leader election.
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
  const found = yield* readSnapshot(file, cluster.snapshot ?? [], warnings)
  const latest = latestOfEach(found.loaded)
  const complete = completeSnapshot(latest.objects, found.coverage)
  const silence = silentNodes(latest.objects, found.coverage.takenMs)
  const snapshot = complete.objects
  const objects = [
    ...(yield* readManifests(file, cluster.manifests ?? [], "spec.cluster.manifests", warnings)),
    ...(yield* loadObjects(inlineDocuments(file, "spec.cluster.objects", cluster.objects ?? []), warnings)),
    ...(yield* loadObjects(extra, warnings))
  ]
  const known = knownNodes(groups, [...snapshot, ...objects], spec.events)
  yield* checkKubelets(file, [...snapshot, ...objects], shared.config, release)
  if (known.names.size === 0) {
    return yield* invalid(file, "spec.cluster", "has no nodes, expected a snapshot with nodes, groups or Node objects")
  }
  const durationMs = yield* durationOf(file, spec.duration, options.until)
  warnings.push(
    ...(options.isEndless === true ? [] : ineffectiveWarnings(file, spec)),
    ...certificateWarnings(file, "spec.config.kubelet", shared.configuration),
    ...manifestWarnings(file, shared.config, groups),
    ...(known.mayGrow ? [] : missingNodeWarnings([...snapshot, ...objects], known.names)),
    ...settingWarnings,
    ...releaseWarnings(file, release, settings),
    ...shared.warnings
  )
  const planned = planEvents(file, spec.events ?? [], known)
  const applies = (spec.events ?? []).some((event) => event.do === "apply")
  const lacks = (kind: string): boolean =>
    found.loaded.length > 0 &&
    !(isKindName(kind) && found.coverage.whole.has(kind)) &&
    !found.loaded.some((loaded) => loaded.kind === kind)
  const expected = planExpectations(
    file,
    spec.expect ?? [],
    known,
    applies ? undefined : { objects: [...snapshot, ...objects], lacks }
  )
  const eventObjects = yield* loadEventObjects(file, planned.events, warnings)
  const layers = yield* planLayers(file, spec.layers ?? [])
  const used = planUsage(file, spec.usage)
  const problems: ReadonlyArray<Problem> = [
    ...unwritableNodes(snapshot),
    ...unknownFields([...objects, ...[...eventObjects.values()].flat()]),
    ...planned.problems,
    ...layers.problems,
    ...used.problems,
    ...cloudProblems(file, spec.config?.cloudProvider, spec.events),
    ...expected.problems
  ]
  if (problems.length > 0) return yield* new InvalidInput({ problems })
  const schedulers = schedulersOf(spec.config?.scheduler)
  warnings.push(
    ...snapshotWarnings(latest, found.coverage, silence, schedulers).map((warning) => `${file}: ${warning}`)
  )
  const assumed = assumedVolumes(snapshot)
  warnings.push(...assumed.warnings.map((warning) => `${file}: ${warning}`))
  const storage = planStorage([...snapshot, ...assumed.objects, ...objects, ...[...eventObjects.values()].flat()])
  warnings.push(...(storage?.warnings ?? []).map((warning) => `${file}: ${warning}`))
  const plan: Plan = {
    file,
    name: metadata.name,
    description: spec.description ?? "",
    release,
    seed: options.seed ?? spec.seed ?? 1,
    startMs: startTimeOf(latest.objects, found.coverage.takenMs),
    durationMs,
    groups,
    snapshot: [...snapshot, ...assumed.objects],
    outsideOwners: complete.outside,
    untrackedWorkloads: complete.untracked,
    silentNodes: silence.names,
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
    layers: layers.files,
    usage: used.usage,
    storage,
    events: planned.events,
    eventObjects,
    expectations: expected.expectations,
    warnings
  }
  return plan
})

/** Adds the document to the paths of a scenario's problems, if its file has several: `document 2.spec.seed`. */
const withDocumentPath =
  ({ file, path: document }: Document) =>
  <E>(error: E): E => {
    if (document === "" || !(error instanceof InvalidInput)) return error
    const withPath = (problem: Problem): Problem =>
      problem.file !== file || problem.path.startsWith("document ")
        ? problem
        : { ...problem, path: problem.path === "" ? document : `${document}.${problem.path}` }
    return new InvalidInput({ problems: error.problems.map(withPath) }) as E
  }

/** Reads the documents of all files, and plans each scenario with the objects that belong to it. */
const readScenarios = Effect.fnUntraced(function* (files: ReadonlyArray<string>, options: LoadOptions) {
  const documents: Array<Document> = []
  for (const file of files) for (const document of yield* readDocuments(file)) documents.push(document)
  const scenarios = documents.filter(isScenario)
  const others = documents.filter((document) => !isScenario(document))
  const first = documents[0]
  if (scenarios.length === 0 && first !== undefined) {
    const kind = objectKindOf(first)
    if (kind !== undefined) {
      return yield* invalid(
        first.file,
        first.path,
        `is a ${kind}, expected a Scenario: name the file in spec.cluster.snapshot or spec.cluster.manifests of one`
      )
    }
    const result = checkScenario(first.file, first.value, first.path)
    return yield* Result.isFailure(result) ? result.failure : invalid(first.file, "", "holds no Scenario")
  }
  const ambiguous = others.find(
    ({ file }) => scenarios.length > 1 && !scenarios.some((scenario) => scenario.file === file)
  )
  if (ambiguous !== undefined) {
    return yield* invalid(
      ambiguous.file,
      ambiguous.path,
      "holds no Scenario, and could belong to several; name it in spec.cluster.manifests of those it belongs to"
    )
  }
  return yield* Effect.forEach(scenarios, (document) =>
    planScenario(
      document,
      others.filter((other) => other.file === document.file || scenarios.length === 1),
      options
    ).pipe(Effect.mapError(withDocumentPath(document)))
  )
})

/**
 * Reads scenarios from files, and checks them. A file may have several documents; the Kubernetes objects beside a scenario are created at
 * time 0, after its own. Fails with all problems found, each with its line if that is known.
 */
export const loadScenarios = (files: ReadonlyArray<string>, options: LoadOptions = {}) =>
  readScenarios(files, options).pipe(withLineNumbersWhere(({ path }) => !isOverridden(options.set ?? [], path)))

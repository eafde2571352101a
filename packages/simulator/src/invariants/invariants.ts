import type { Node, PersistentVolume, Pod, Release } from "@rollcall/api"
import { errorText } from "@rollcall/time"
import type { TraceEntry } from "../trace/TraceEntry.ts"
import { budgets } from "./budgets.ts"
import { capacity } from "./capacity.ts"
import { cidrs } from "./cidrs.ts"
import type { BrokenInvariant, ClusterState, Invariant } from "./Invariant.ts"
import { kubeletKills } from "./kubeletKills.ts"
import { podLife } from "./podLife.ts"
import { revisions } from "./revisions.ts"
import { shutdownOrder } from "./shutdownOrder.ts"
import { type SplitBrain, splitBrain } from "./splitBrain.ts"
import { type MachineView, stoppedPods } from "./stoppedPods.ts"
import { stoppedZones } from "./stoppedZones.ts"
import { taintRate } from "./taintRate.ts"
import { tolerance } from "./tolerance.ts"
import { volumes } from "./volumes.ts"

/** All invariants of a run. The caller passes every trace entry and every change of an object. */
export interface Invariants {
  readonly entry: (entry: TraceEntry) => void
  readonly pod: (previous: Pod | undefined, next: Pod | undefined) => void
  readonly node: (previous: Node | undefined, next: Node | undefined) => void
  readonly volume: (previous: PersistentVolume | undefined, next: PersistentVolume | undefined) => void
  readonly passEnded: () => void
  readonly tick: () => void
  /** Records an unexpected error of a callback as a violation. The callback has ended, and the run continues. */
  readonly errorHandled: (source: string, error: unknown) => void
  /** Returns the violations so far. There are none unless the model has a bug. */
  readonly violations: () => ReadonlyArray<BrokenInvariant>
}

export interface InvariantsOptions {
  readonly cluster: ClusterState
  readonly machineOf: (node: string) => MachineView | undefined
  /** The highest rate at which nodes of a zone may be tainted, in nodes a second. */
  readonly nodesPerSecond: number
  /** What must fit on a node: the pods' requests into its allocatable resources (the default), or their limits into its capacity. */
  readonly podsFitBy?: Release["podsFitBy"]
  readonly elapsedMs: () => number
  /** Called when two pods of one StatefulSet identity run, because the first was removed without its kubelet's confirmation. */
  readonly onSplitBrain?: (found: SplitBrain) => void
}

/** The most violations that are kept, because one bug can violate an invariant many times. */
const MAX_VIOLATIONS = 20

/** Makes all invariants of a run. */
export const makeInvariants = ({
  elapsedMs,
  cluster,
  machineOf,
  nodesPerSecond,
  podsFitBy,
  onSplitBrain = () => {}
}: InvariantsOptions): Invariants => {
  const violations: Array<BrokenInvariant> = []
  const now = () => Math.round(elapsedMs()) / 1000
  const report = (invariant: string) => (message: string) => {
    if (violations.length < MAX_VIOLATIONS) violations.push({ at: now(), invariant, message })
  }
  const all: ReadonlyArray<Invariant> = [
    taintRate(cluster, nodesPerSecond, report("taint rate")),
    stoppedZones(cluster, report("stopped zones")),
    tolerance(cluster, report("tolerance")),
    podLife(report("life of a pod")),
    stoppedPods(machineOf, report("stopped pods")),
    splitBrain(machineOf, report("single identity"), onSplitBrain),
    capacity(cluster, report("capacity"), podsFitBy),
    cidrs(report("one block, one node")),
    volumes(cluster, report("volumes")),
    budgets(cluster, report("budgets")),
    revisions(report("revisions")),
    kubeletKills(report("ended by the kubelet")),
    shutdownOrder(report("order of a shutdown"))
  ]
  const onEntry = all.flatMap(({ entry }) => entry ?? [])
  const onPod = all.flatMap(({ pod }) => pod ?? [])
  const onNode = all.flatMap(({ node }) => node ?? [])
  const onVolume = all.flatMap(({ volume }) => volume ?? [])
  const onPass = all.flatMap(({ passEnded }) => passEnded ?? [])
  const onTick = all.flatMap(({ tick }) => tick ?? [])
  return {
    entry: (entry) => {
      for (const listener of onEntry) listener(entry)
    },
    pod: (previous, next) => {
      const at = now()
      for (const listener of onPod) listener(previous, next, at)
    },
    node: (previous, next) => {
      const at = now()
      for (const listener of onNode) listener(previous, next, at)
    },
    volume: (previous, next) => {
      for (const listener of onVolume) listener(previous, next)
    },
    passEnded: () => {
      for (const listener of onPass) listener(now())
    },
    tick: () => {
      for (const listener of onTick) listener(now())
    },
    errorHandled: (source, error) => report("no unexpected error")(`${source}: ${errorText(error).split("\n", 1)[0]}`),
    violations: () => violations
  }
}

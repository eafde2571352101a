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
  /** Records an unexpected error of a callback; only that callback ended. */
  readonly errorHandled: (source: string, error: unknown) => void
  /** Returns the violations so far: none, unless the model has a bug. */
  readonly broken: () => ReadonlyArray<BrokenInvariant>
}

export interface InvariantsOptions {
  readonly known: ClusterState
  readonly machineOf: (node: string) => MachineView | undefined
  /** The highest rate at which nodes of a zone may be tainted, in nodes a second. */
  readonly nodesPerSecond: number
  /** Whether requests must fit into allocatable (the default) or limits into capacity. */
  readonly podsFitBy?: Release["podsFitBy"]
  readonly elapsedMs: () => number
  /** Called when two pods of one StatefulSet identity run, because the first was removed without its kubelet's confirmation. */
  readonly onSplitBrain?: (found: SplitBrain) => void
}

/** One bug can violate an invariant many times: only this many violations are kept. */
const MOST_BROKEN = 20

export const makeInvariants = ({
  elapsedMs,
  known,
  machineOf,
  nodesPerSecond,
  podsFitBy,
  onSplitBrain = () => {}
}: InvariantsOptions): Invariants => {
  const broken: Array<BrokenInvariant> = []
  const now = () => Math.round(elapsedMs()) / 1000
  const report = (invariant: string) => (message: string) => {
    if (broken.length < MOST_BROKEN) broken.push({ at: now(), invariant, message })
  }
  const all: ReadonlyArray<Invariant> = [
    taintRate(known, nodesPerSecond, report("taint rate")),
    stoppedZones(known, report("stopped zones")),
    tolerance(known, report("tolerance")),
    podLife(report("life of a pod")),
    stoppedPods(machineOf, report("stopped pods")),
    splitBrain(machineOf, report("single identity"), onSplitBrain),
    capacity(known, report("capacity"), podsFitBy),
    cidrs(report("one block, one node")),
    volumes(known, report("volumes")),
    budgets(known, report("budgets")),
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
      for (const see of onEntry) see(entry)
    },
    pod: (previous, next) => {
      const at = now()
      for (const see of onPod) see(previous, next, at)
    },
    node: (previous, next) => {
      const at = now()
      for (const see of onNode) see(previous, next, at)
    },
    volume: (previous, next) => {
      for (const see of onVolume) see(previous, next)
    },
    passEnded: () => {
      for (const see of onPass) see(now())
    },
    tick: () => {
      for (const see of onTick) see(now())
    },
    errorHandled: (source, error) => report("no unexpected error")(`${source}: ${errorText(error).split("\n", 1)[0]}`),
    broken: () => broken
  }
}

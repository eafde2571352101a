import type { Container, ContainerStatus, Pod } from "@rollcall/api"
import { parseTime } from "@rollcall/api"
import type { Timer } from "@rollcall/time"
import type { ProbeState, ProbeStep, ProbeTiming } from "../prober/ProbePlan.ts"
import type { ProbeKind, ProbeOutcome } from "../runtime/ProbeOutcomes.ts"
import type { BackOffRecord } from "./CrashLoopBackOff.ts"

/** A probe of a container that runs, and the next check that matters. */
export interface RunningProbe {
  readonly kind: ProbeKind
  readonly timing: ProbeTiming
  readonly outcome: ProbeOutcome
  readonly state: ProbeState
  readonly next: ProbeStep | undefined
}

/**
 * - `new`: not started in this sandbox yet
 * - `starting`: the runtime has been asked to start it
 * - `unpulled`: its image could not be pulled
 * - `ending`: it runs and has been asked to end, to be started again
 */
export type ContainerStage = "new" | "starting" | "unpulled" | "running" | "ending" | "exited"

/** What a kubelet keeps of one container beside its status. */
export class ContainerLife {
  readonly isInit: boolean
  /** As the spec has it: its image may be changed. */
  container: Container
  /** It ends, or has ended, for the sake of another image. */
  isReplaced = false
  stage: ContainerStage = "new"
  startedAtMs = 0
  /** Its exit, or the pull that failed. */
  endedAtMs = 0
  exitCode = 0
  /** It has passed its startup probe, in this sandbox. */
  hasStarted = false
  crashes: BackOffRecord | undefined = undefined
  pulls: BackOffRecord | undefined = undefined
  probes: ReadonlyArray<RunningProbe> = []

  constructor(container: Container, isInit: boolean) {
    this.container = container
    this.isInit = isInit
  }
}

/** What a kubelet keeps of a pod that does not just run. */
export class PodLife {
  readonly containers: ReadonlyArray<ContainerLife>
  /** What of it comes next by the clock. */
  timer: Timer | undefined = undefined

  constructor(pod: Pod) {
    this.containers = [
      ...(pod.spec.initContainers ?? []).map((container) => new ContainerLife(container, true)),
      ...pod.spec.containers.map((container) => new ContainerLife(container, false))
    ]
  }

  of(name: string): ContainerLife | undefined {
    return this.containers.find(({ container }) => container.name === name)
  }
}

const timeOf = (text: string | undefined, otherwise: number): number =>
  text === undefined ? otherwise : parseTime(text)

/** What is to be kept of a pod whose containers are there already. */
export const lifeFromStatuses = (pod: Pod, statuses: ReadonlyArray<ContainerStatus>, nowMs: number): PodLife => {
  const life = new PodLife(pod)
  for (const { lastState, name, started, state } of statuses) {
    const own = life.of(name)
    if (own === undefined) continue
    own.hasStarted = started === true || lastState?.terminated !== undefined
    const end = state?.terminated ?? (state?.running === undefined ? lastState?.terminated : undefined)
    if (state?.running !== undefined) {
      own.stage = "running"
      own.startedAtMs = timeOf(state.running.startedAt, nowMs)
    } else if (end !== undefined) {
      own.stage = "exited"
      own.exitCode = end.exitCode
      own.endedAtMs = timeOf(end.finishedAt, nowMs)
    }
  }
  return life
}

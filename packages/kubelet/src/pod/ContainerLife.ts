import type { Container, ContainerStatus, Pod } from "@rollcall/api"
import { parseTime } from "@rollcall/api"
import type { Timer } from "@rollcall/time"
import type { ProbeState, ProbeStep, ProbeTiming } from "../prober/ProbePlan.ts"
import type { ProbeKind, ProbeOutcome } from "../runtime/ProbeOutcomes.ts"
import type { BackOffRecord } from "./CrashLoopBackOff.ts"

/** A probe of a running container, and its next relevant check. */
export interface RunningProbe {
  readonly kind: ProbeKind
  readonly timing: ProbeTiming
  readonly outcome: ProbeOutcome
  readonly state: ProbeState
  readonly next: ProbeStep | undefined
}

/**
 * - `new`: not started in this sandbox yet
 * - `starting`: the runtime has been told to start it
 * - `unpulled`: its image could not be pulled
 * - `ending`: it runs and has been told to stop, to be restarted
 */
export type ContainerStage = "new" | "starting" | "unpulled" | "running" | "ending" | "exited"

/** A kubelet's state of one container besides its status. */
export class ContainerLife {
  readonly isInit: boolean
  /** From the spec, whose image may change. */
  container: Container
  /** It is being, or was, stopped because of a changed image. */
  isReplaced = false
  stage: ContainerStage = "new"
  startedAtMs = 0
  /** When it exited, or when the pull failed. */
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

/** A kubelet's state of a pod that needs more than running. */
export class PodLife {
  readonly containers: ReadonlyArray<ContainerLife>
  /** The pod's next timer. */
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

/** The state of a pod whose containers exist already. */
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

import type { ContainerStatus } from "@rollcall/api"
import type { Env } from "../internal/Env.ts"
import type { ContainerLife, PodLife, RunningProbe } from "../pod/ContainerLife.ts"
import { type Checks, type Containers, containerChecked } from "../pod/Containers.ts"
import { recordFailedProbe } from "../pod/PodEvents.ts"
import type { PodRecord } from "../pod/PodRecord.ts"
import type { PodRuntime } from "../runtime/PodRuntime.ts"
import { type ProbeKind, passing } from "../runtime/ProbeOutcomes.ts"
import { initialProbeState, nextProbeStep, probeTiming } from "./ProbePlan.ts"

const AFTER_STARTUP: ReadonlyArray<ProbeKind> = ["readiness", "liveness"]
const ONLY_STARTUP: ReadonlyArray<ProbeKind> = ["startup"]
const NO_PROBES: ReadonlyArray<RunningProbe> = []

/** Runs the probes of running containers. Checks that change nothing get no timer. */
export class ProbeManager {
  private readonly env: Env
  private readonly runtime: PodRuntime

  constructor(env: Env, runtime: PodRuntime) {
    this.env = env
    this.runtime = runtime
  }

  /** A container has just started: its state until its first check. */
  begin(record: PodRecord, own: ContainerLife): Checks {
    if (this.runtime.containers === undefined) return { started: true, ready: true }
    const { readinessProbe, startupProbe } = own.container
    own.probes = this.of(record, own, startupProbe === undefined ? AFTER_STARTUP : ONLY_STARTUP, 0, undefined)
    const started = startupProbe === undefined
    return { started, ready: started && readinessProbe === undefined }
  }

  /** A container was running before this kubelet: its previous state counts until its first check. */
  resume(record: PodRecord, own: ContainerLife, status: ContainerStatus | undefined): void {
    if (this.runtime.containers === undefined) return
    const isUp = status?.started === true || own.container.startupProbe === undefined
    const sinceMs = Math.max(0, this.env.timers.now() - own.startedAtMs)
    own.probes = this.of(record, own, isUp ? AFTER_STARTUP : ONLY_STARTUP, sinceMs, status?.ready)
  }

  /** The time of the next relevant check. */
  nextMs({ containers }: PodLife): number {
    let atMs = Number.POSITIVE_INFINITY
    for (const { probes, startedAtMs } of containers) {
      for (const { next } of probes) if (next !== undefined) atMs = Math.min(atMs, startedAtMs + next.atMs)
    }
    return atMs
  }

  /** Runs the due checks. `dead`: the container must be stopped. */
  look(record: PodRecord, life: PodLife, dead: (own: ContainerLife, kind: ProbeKind) => void): Containers {
    const now = this.env.timers.now()
    let containers = record.containers
    for (const own of life.containers) {
      for (let due = dueProbe(own, now); due !== undefined; due = dueProbe(own, now)) {
        containers = this.check(record, own, due, containers, dead)
      }
    }
    return containers
  }

  private check(
    record: PodRecord,
    own: ContainerLife,
    probe: RunningProbe,
    containers: Containers,
    dead: (own: ContainerLife, kind: ProbeKind) => void
  ): Containers {
    const { kind, next, outcome, timing } = probe
    if (next === undefined) return containers
    const { container, isInit } = own
    if (!next.passed) recordFailedProbe(this.env.recorder, record.pod, container, isInit, kind)
    const tells = this.env.recorder !== undefined
    const after: RunningProbe = {
      ...probe,
      state: next.state,
      next: nextProbeStep(timing, outcome, next.state, tells)
    }
    own.probes = own.probes.map((held) => (held === probe ? after : held))
    if (!next.changed) return containers
    if (kind === "readiness") return containerChecked(containers, container.name, { ready: next.passed, started: true })
    if (!next.passed) {
      dead(own, kind)
      return containers
    }
    if (kind === "liveness") return containers
    own.hasStarted = true
    own.probes = this.of(record, own, AFTER_STARTUP, next.atMs, undefined)
    return containerChecked(containers, container.name, {
      ready: container.readinessProbe === undefined,
      started: true
    })
  }

  private of(
    record: PodRecord,
    own: ContainerLife,
    kinds: ReadonlyArray<ProbeKind>,
    enabledMs: number,
    ready: boolean | undefined
  ): ReadonlyArray<RunningProbe> {
    const { container } = own
    const outcomes = this.runtime.containers?.probeOutcomes(record.pod, container.name, record)
    const probes: Array<RunningProbe> = []
    for (const kind of kinds) {
      const spec = container[`${kind}Probe`]
      if (spec === undefined) continue
      const outcome = outcomes?.[kind] ?? passing
      const timing = probeTiming(kind, spec, enabledMs)
      const fresh = initialProbeState(kind, timing)
      const state = kind === "readiness" && ready !== undefined ? { ...fresh, result: ready } : fresh
      const next = nextProbeStep(timing, outcome, state, this.env.recorder !== undefined)
      probes.push({ kind, timing, outcome, state, next })
    }
    return probes.length === 0 ? NO_PROBES : probes
  }
}

const dueProbe = ({ probes, startedAtMs }: ContainerLife, now: number): RunningProbe | undefined =>
  probes.find(({ next }) => next !== undefined && startedAtMs + next.atMs <= now)

import type { ContainerStatus } from "@rollcall/api"
import type { Env } from "../internal/Env.ts"
import type { ContainerLifecycle, PodLifecycle, RunningProbe } from "../pod/ContainerLifecycle.ts"
import { type Checks, type Containers, containerChecked } from "../pod/Containers.ts"
import { recordProbe } from "../pod/PodEvents.ts"
import type { PodRecord } from "../pod/PodRecord.ts"
import type { PodRuntime } from "../runtime/PodRuntime.ts"
import { changedAt, type ProbeKind, type ProbeOutcomes, passing, type SeenProbes } from "../runtime/ProbeOutcomes.ts"
import { initialProbeState, nextProbeStep, probeTiming } from "./ProbePlan.ts"
import { probeMessage } from "./probeMessage.ts"

const AFTER_STARTUP: ReadonlyArray<ProbeKind> = ["readiness", "liveness"]
const ONLY_STARTUP: ReadonlyArray<ProbeKind> = ["startup"]
/** The output of a check that is answered with a redirect to another host, before its body. Upstream: pkg/probe/http/http.go. */
const REDIRECTED = "Probe terminated redirects, Response body: "
const NO_PROBES: ReadonlyArray<RunningProbe> = []

/** Runs the probes of running containers. A check that changes nothing is computed without a timer. */
export class ProbeManager {
  private readonly env: Env
  private readonly runtime: PodRuntime

  constructor(env: Env, runtime: PodRuntime) {
    this.env = env
    this.runtime = runtime
  }

  /** Starts the probes of a container that has started, and whose postStart hook has run. Returns its state until the first check. */
  begin(record: PodRecord, tracked: ContainerLifecycle): Checks {
    if (this.runtime.containers === undefined) return { started: true, ready: true }
    const { readinessProbe, startupProbe } = tracked.container
    tracked.probes = this.probesOf(
      record,
      tracked,
      startupProbe === undefined ? AFTER_STARTUP : ONLY_STARTUP,
      this.env.timers.now() - tracked.startedAtMs,
      undefined
    )
    const started = startupProbe === undefined
    return { started, ready: started && readinessProbe === undefined }
  }

  /** Starts the probes of a container that ran before this kubelet. It keeps its state until the first check. */
  resume(record: PodRecord, tracked: ContainerLifecycle, status: ContainerStatus | undefined): void {
    if (this.runtime.containers === undefined) return
    const hasStarted = status?.started === true || tracked.container.startupProbe === undefined
    const sinceMs = Math.max(0, this.env.timers.now() - tracked.startedAtMs)
    tracked.probes = this.probesOf(record, tracked, hasStarted ? AFTER_STARTUP : ONLY_STARTUP, sinceMs, status?.ready)
  }

  /**
   * Takes over what checks of a container will find from now on; the checks before now have counted as they were. Returns
   * whether it runs.
   */
  see(record: PodRecord, name: string, seen: SeenProbes): boolean {
    const tracked = record.lifecycle?.of(name)
    if (record.stage !== "running" || tracked?.stage !== "running") return false
    const sinceMs = this.env.timers.now() - tracked.startedAtMs
    tracked.seen = { ...tracked.seen, ...seen }
    const outcomes = this.outcomesOf(record, tracked)
    tracked.probes = tracked.probes.map((probe) => {
      // A startup probe that has passed is not run again.
      const isOver = probe.kind === "startup" && probe.next === undefined
      if (isOver || seen[probe.kind] === undefined) return probe
      const outcome = changedAt(probe.outcome, outcomes?.[probe.kind] ?? passing, sinceMs)
      const next = nextProbeStep(probe.timing, outcome, probe.state, this.env.recorder !== undefined)
      return { ...probe, outcome, next }
    })
    return true
  }

  /** Returns the time of the next check that changes or reports something; Infinity if there is none. */
  nextMs({ containers }: PodLifecycle): number {
    let atMs = Number.POSITIVE_INFINITY
    for (const { probes, startedAtMs } of containers) {
      for (const { next } of probes) if (next !== undefined) atMs = Math.min(atMs, startedAtMs + next.atMs)
    }
    return atMs
  }

  /**
   * Runs the due checks, and returns the pod's container statuses after them. `probeFailed` is called for a container
   * that must be stopped.
   */
  runDueChecks(
    record: PodRecord,
    lifecycle: PodLifecycle,
    before: Containers,
    probeFailed: (tracked: ContainerLifecycle, kind: ProbeKind) => void
  ): Containers {
    const now = this.env.timers.now()
    let containers = before
    for (const tracked of lifecycle.containers) {
      for (let due = dueProbe(tracked, now); due !== undefined; due = dueProbe(tracked, now)) {
        containers = this.check(record, tracked, due, containers, probeFailed)
      }
    }
    return containers
  }

  private check(
    record: PodRecord,
    tracked: ContainerLifecycle,
    probe: RunningProbe,
    containers: Containers,
    probeFailed: (tracked: ContainerLifecycle, kind: ProbeKind) => void
  ): Containers {
    const { kind, next, outcome, timing } = probe
    if (next === undefined) return containers
    const { container } = tracked
    this.report(record, tracked, probe, next.passed)
    const recordsFailures = this.env.recorder !== undefined
    const after: RunningProbe = {
      ...probe,
      state: next.state,
      next: nextProbeStep(timing, outcome, next.state, recordsFailures)
    }
    tracked.probes = tracked.probes.map((each) => (each === probe ? after : each))
    if (!next.changed) return containers
    if (kind === "readiness") return containerChecked(containers, container.name, { ready: next.passed, started: true })
    if (!next.passed) {
      probeFailed(tracked, kind)
      return containers
    }
    if (kind === "liveness") return containers
    tracked.hasStarted = true
    // The startup probe has ended, but its checks still count.
    tracked.probes = [
      { ...after, next: undefined },
      ...this.probesOf(record, tracked, AFTER_STARTUP, next.atMs, undefined)
    ]
    return containerChecked(containers, container.name, {
      ready: container.readinessProbe === undefined,
      started: true
    })
  }

  private report(
    { pod, status: { podIP = "" } }: PodRecord,
    { container, isInit }: ContainerLifecycle,
    { kind, outcome }: RunningProbe,
    passed: boolean
  ): void {
    const { recorder } = this.env
    const spec = container[`${kind}Probe`]
    if (recorder === undefined || spec === undefined || (passed && outcome.redirects !== true)) return
    const output = passed
      ? REDIRECTED + (outcome.redirectBody ?? "")
      : probeMessage(spec, container, podIP, outcome.failure ?? "unhealthy")
    recordProbe(recorder, pod, container, isInit, kind, passed ? "warning" : "failed", output)
  }

  private outcomesOf(record: PodRecord, { container, seen }: ContainerLifecycle): ProbeOutcomes | undefined {
    return this.runtime.containers?.probeOutcomes(record.pod, container.name, record, seen)
  }

  private probesOf(
    record: PodRecord,
    tracked: ContainerLifecycle,
    kinds: ReadonlyArray<ProbeKind>,
    enabledMs: number,
    ready: boolean | undefined
  ): ReadonlyArray<RunningProbe> {
    const { container } = tracked
    const outcomes = this.outcomesOf(record, tracked)
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

const dueProbe = ({ probes, startedAtMs }: ContainerLifecycle, now: number): RunningProbe | undefined =>
  probes.find(({ next }) => next !== undefined && startedAtMs + next.atMs <= now)

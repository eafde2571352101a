import type { Container, Node } from "@rollcall/api"
import { HealthSlis } from "@rollcall/time"
import * as Result from "effect/Result"
import { maxLogBytes } from "../config/logSettings.ts"
import type { Env } from "../internal/Env.ts"
import { fileVariablesOf } from "../pod/fileVariables.ts"
import type { PodManager } from "../pod/PodManager.ts"
import { beginningOf, keepBeginning, writtenIn, writtenOnMachine } from "../runtime/command/writtenFiles.ts"
import type { HangingRuntime } from "../runtime/HangingRuntime.ts"
import type { NodeHost } from "../runtime/NodeHost.ts"
import { idleUsage } from "../stats/modelledUsage.ts"
import { ProcessorTime } from "../stats/ProcessorTime.ts"
import { summaryOf } from "../stats/summaryOf.ts"
import type { KubeletContent } from "./KubeletRequest.ts"
import { probeMetrics } from "./probeMetrics.ts"
import type { StreamSource } from "./streams/containerRun.ts"

/** The parts of a kubelet that its server shows. */
export interface ServedParts {
  readonly env: Env
  readonly host: NodeHost
  readonly runtime: HangingRuntime
  readonly podManager: PodManager
  readonly bootedMs: number
  /** When the process started. */
  readonly startedMs: number
  readonly node: () => Node | undefined
  readonly isRunning: () => boolean
  readonly problem: () => string | undefined
}

/** The error of the first call of the runtime for stats. Upstream: pkg/kubelet/server/stats/summary.go. */
const STATS_TIMEOUT = "failed to get imageFs stats: rpc error: code = DeadlineExceeded desc = context deadline exceeded"

/** The counts of the checks of health, by kubelet; none before the first check. */
const slis = new WeakMap<Env, HealthSlis>()

const slisOf = (env: Env): HealthSlis => {
  const known = slis.get(env) ?? new HealthSlis()
  slis.set(env, known)
  return known
}

/** The processor time that containers have used, by kubelet; none before the first reading. */
const processorTimes = new WeakMap<Env, ProcessorTime>()

const processorTimeOf = (env: Env): ProcessorTime => {
  const known = processorTimes.get(env) ?? new ProcessorTime()
  processorTimes.set(env, known)
  return known
}
const NO_VARIABLES: ReadonlyMap<string, string> = new Map()

/** Returns what the streams of a kubelet need of it. */
export const streamsOf = ({ env, isRunning, node, podManager, runtime, startedMs }: ServedParts): StreamSource => ({
  kubelet: env,
  timers: env.timers,
  connection: env.connection,
  tokens: () => env.tokens,
  mounted: () => env.mounted,
  clockSkewMs: env.clockSkewMs,
  startedMs: startedMs + env.clockSkewMs,
  logRotation: {
    maxBytes: maxLogBytes(env.config.containerLogMaxSize),
    intervalMs: env.config.containerLogMonitorIntervalMs
  },
  node,
  podNamed: (namespace, named) => podManager.podNamed(namespace, named),
  isRunning,
  writtenInClaim: env.filesOfClaim,
  writtenIn: (pod, run) => writtenIn(env, pod, run),
  writtenOnMachine: () => writtenOnMachine(env),
  keepBeginning: (pod, run, written) => keepBeginning(env, pod, run, written),
  beginningOf: (pod, run) => beginningOf(env, pod, run),
  fileVariables: (pod, container) => {
    const record = Array.from(podManager.all).find((each) => each.pod.metadata.uid === pod.metadata.uid)
    // An ephemeral container is not tracked, and has what the files say now.
    const ephemeral = pod.spec.ephemeralContainers?.find(({ name }) => name === container) as Container | undefined
    if (record === undefined || ephemeral === undefined)
      return record?.lifecycle?.of(container)?.fileVariables ?? NO_VARIABLES
    const found = fileVariablesOf(pod, ephemeral, record.statuses, writtenIn(env, pod, undefined))
    return Result.isSuccess(found) ? found.success : NO_VARIABLES
  },
  probesSeen: (uid, container, seen) => podManager.probesSeen(uid, container, seen),
  exitContainer: (uid, container, exitCode, message) => {
    for (const record of podManager.all) {
      if (record.pod.metadata.uid === uid) runtime.exitContainer(record.pod, container, exitCode, record, message)
    }
  }
})

/** Returns what a kubelet's server serves. */
export const contentOf = (parts: ServedParts): KubeletContent => {
  const { bootedMs, env, host, podManager, problem, runtime } = parts
  const { clockSkewMs, config, name, release, timers } = env
  return {
    nodeName: name,
    summary: () =>
      // This fails at once, where upstream waits for the runtime.
      runtime.isHanging
        ? STATS_TIMEOUT
        : summaryOf({
            nodeName: name,
            machine: host.machine(),
            config,
            release,
            nowMs: timers.now(),
            bootedMs,
            clockSkewMs,
            readings: host.resources?.read(),
            idle: idleUsage,
            processorTime: processorTimeOf(env).read(timers.now()),
            pods: Array.from(podManager.all, ({ pod, status, statuses }) => ({
              pod,
              statuses,
              startTime: status.startTime
            }))
          }),
    pods: () => podManager.servedPods(),
    machine: () => host.machine(),
    lifeCounts: env.lifeCounts,
    probes: () => probeMetrics(podManager.all, timers.now()),
    config,
    problem,
    slis: () => slisOf(env),
    streams: streamsOf(parts)
  }
}

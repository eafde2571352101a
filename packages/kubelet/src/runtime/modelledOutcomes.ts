import type { Container, Pod } from "@rollcall/api"
import { isSidecar } from "../pod/ContainerRestart.ts"
import { commandProbesOf, commandRunOf, runInContainer } from "./command/commandEnd.ts"
import type { ContainerEnd, ModelledPodRuntimeOptions } from "./ModelledPodRuntimeOptions.ts"
import type { PodUsage } from "./NodeHost.ts"
import { behaviourOf, bytesOf, type ContainerBehaviour, type PodBehaviour } from "./PodBehaviour.ts"
import type { ContainerCommands, HookEnd } from "./PodRuntime.ts"
import { type ProbeKind, type ProbeOutcome, type ProbeOutcomes, passing, type SeenProbes } from "./ProbeOutcomes.ts"

const probeKinds: ReadonlyArray<ProbeKind> = ["startup", "readiness", "liveness"]

/** Returns a container of the pod by name, also an init or an ephemeral container. */
export const containerOf = ({ spec }: Pod, container: string): Container | undefined =>
  spec.containers.find(({ name }) => name === container) ??
  spec.initContainers?.find(({ name }) => name === container) ??
  spec.ephemeralContainers?.find(({ name }) => name === container)

/** How a run of a container goes on by itself. */
export interface ContainerCourse {
  /** How it exits; undefined if it does not. */
  readonly end: ContainerEnd | undefined
  /** Whether its command is to be followed in the container, for what it reads and writes. Its end is then that of this run. */
  readonly isFollowed: boolean
}

/** Whether the status of a container shows the end of its log. */
const showsLog = (container: Container | undefined, end: ContainerEnd | undefined): boolean =>
  container?.terminationMessagePolicy === "FallbackToLogsOnError" && end !== undefined && end.exitCode !== 0

const notFollowed = (end: ContainerEnd | undefined): ContainerCourse => ({ end, isFollowed: false })

/** Returns how a run of a container goes: by its behaviour, else by its command. `runsBefore` is the number of earlier runs. */
export const containerCourseOf = (
  pod: Pod,
  container: string,
  behaviour: ContainerBehaviour | undefined,
  runsBefore: number,
  { initMs = 0, outcome }: ModelledPodRuntimeOptions
): ContainerCourse => {
  const exitsAsAnnotated = behaviour?.exitAfterSeconds !== undefined
  if (exitsAsAnnotated && runsBefore < (behaviour.exitTimes ?? Infinity))
    return notFollowed({ afterMs: behaviour.exitAfterSeconds * 1000, exitCode: behaviour.exitCode ?? 0 })
  const known = exitsAsAnnotated ? undefined : commandRunOf(pod, containerOf(pod, container))
  if (known !== undefined && (known.end !== undefined || known.needsContainer))
    return { end: known.end, isFollowed: known.needsContainer || showsLog(containerOf(pod, container), known.end) }
  const init = pod.spec.initContainers?.find(({ name }) => name === container)
  if (init === undefined || isSidecar(init)) return notFollowed(outcome?.(pod, container))
  return notFollowed(known?.runsOn === true ? undefined : { afterMs: initMs, exitCode: 0 })
}

/** Whether a container has probes with commands, and its own command is known to write no file. */
export const writesNothing = (pod: Pod, name: string): boolean => {
  const container = containerOf(pod, name)
  if (container === undefined || !probeKinds.some((kind) => container[`${kind}Probe`]?.exec !== undefined)) return false
  const { end, needsContainer, runsOn } = commandRunOf(pod, container)
  return !needsContainer && (runsOn || end !== undefined)
}

const outcomeWithChanges = (
  passesFirst: boolean,
  ...turnsAtSeconds: ReadonlyArray<number | undefined>
): ProbeOutcome => ({
  passesFirst,
  changesAtMs: turnsAtSeconds.filter((seconds) => seconds !== undefined).map((seconds) => seconds * 1000)
})

/** Returns the outcomes of a container's probes, by its behaviour, else by their commands; undefined if all pass. */
export const probeOutcomesOf = (
  pod: Pod,
  container: string,
  behaviour: ContainerBehaviour | undefined,
  looked: SeenProbes = {},
  seen: SeenProbes = {}
): ProbeOutcomes | undefined => {
  const spec = containerOf(pod, container)
  const byCommand = { ...seenOutcomes(looked), ...commandProbesOf(pod, spec), ...seenOutcomes(seen) }
  if (behaviour === undefined) return byCommand
  const { probeFailure, probesRedirect = false } = behaviour
  const outcomes: Partial<Record<ProbeKind, ProbeOutcome>> = { ...byCommand, ...annotatedOutcomes(behaviour) }
  if (probeFailure === undefined && !probesRedirect) return outcomes
  for (const kind of probeKinds) {
    const redirects = probesRedirect && spec?.[`${kind}Probe`]?.httpGet !== undefined
    const failure = probeFailure === undefined ? {} : { failure: probeFailure }
    outcomes[kind] = { ...(outcomes[kind] ?? passing), ...failure, redirects }
  }
  return outcomes
}

const seenOutcomes = (seen: SeenProbes): ProbeOutcomes => {
  const outcomes: Partial<Record<ProbeKind, ProbeOutcome>> = {}
  for (const kind of probeKinds) {
    const passesFirst = seen[kind]
    if (passesFirst !== undefined) outcomes[kind] = { passesFirst, changesAtMs: [] }
  }
  return outcomes
}

const annotatedOutcomes = (behaviour: ContainerBehaviour): ProbeOutcomes => {
  const { failsLivenessAtSeconds, readyAfterSeconds, readyAgainAtSeconds, startedAfterSeconds, unreadyAtSeconds } =
    behaviour
  return {
    ...(startedAfterSeconds === undefined ? {} : { startup: outcomeWithChanges(false, startedAfterSeconds) }),
    ...(readyAfterSeconds === undefined && unreadyAtSeconds === undefined
      ? {}
      : {
          readiness: outcomeWithChanges(
            readyAfterSeconds === undefined,
            readyAfterSeconds,
            unreadyAtSeconds,
            unreadyAtSeconds === undefined ? undefined : readyAgainAtSeconds
          )
        }),
    ...(failsLivenessAtSeconds === undefined ? {} : { liveness: outcomeWithChanges(true, failsLivenessAtSeconds) })
  }
}

/** Upstream: pkg/kubelet/util/format/pod.go Pod. */
const podText = ({ metadata: { name, namespace, uid } }: Pod): string => `${name}_${namespace}(${uid})`

type Hook = NonNullable<NonNullable<Container["lifecycle"]>["postStart"]>

/** Carries out the command of a hook in its container. Absent if there is no container. */
export type RunHook = ContainerCommands["runHook"] | undefined

/** Returns how the command of a hook ends: as its words say, or as it does in its container. */
const endOfCommand = (
  pod: Pod,
  container: Container,
  command: ReadonlyArray<string>,
  run: RunHook
): ContainerEnd | undefined => {
  const { end, needsContainer, runsOn } = runInContainer(pod, container, command)
  if (needsContainer) return run?.(pod, container.name, command) ?? end
  return runsOn ? { afterMs: Number.POSITIVE_INFINITY, exitCode: 0 } : end
}

/** Returns how a hook ends that is no sleep: after the given seconds, else as its command does. */
const hookEndOf = (
  pod: Pod,
  container: Container,
  hook: Hook,
  seconds: number | undefined,
  fails: boolean,
  run: RunHook
): HookEnd => {
  const { exec, httpGet } = hook
  const end = exec?.command === undefined ? undefined : endOfCommand(pod, container, exec.command, run)
  const afterMs = seconds === undefined ? (end?.afterMs ?? 0) : seconds * 1000
  if (!fails && (end === undefined || end.exitCode === 0)) return { afterMs }
  const of = `Container ${JSON.stringify(container.name)} in Pod "${podText(pod)}" failed - error:`
  if (exec === undefined) return { afterMs, failure: `HTTP lifecycle hook (${httpGet?.path ?? ""}) for ${of} EOF` }
  const command = exec.command ?? []
  const error = `command '${command.join(" ")}' exited with ${end?.exitCode ?? 1}: `
  return { afterMs, failure: `Exec lifecycle hook ([${command.join(" ")}]) for ${of} ${error}, message: ""` }
}

/** Returns how the postStart hook of a container ends: by its behaviour, else by its command; undefined if it takes no time. */
export const postStartEndOf = (
  pod: Pod,
  name: string,
  behaviour: ContainerBehaviour | undefined,
  run: RunHook
): HookEnd | undefined => {
  const container = containerOf(pod, name)
  if (container === undefined) return undefined
  const { postStart, postStartSeconds } = behaviour ?? {}
  return hookEndOf(pod, container, container.lifecycle?.postStart ?? {}, postStartSeconds, postStart === "fail", run)
}

/** Returns how a container's preStop hook ends, undefined if it has none. */
export const preStopEndOf = (
  pod: Pod,
  name: string,
  behaviour: ContainerBehaviour | undefined,
  run: RunHook
): HookEnd | undefined => {
  const container = containerOf(pod, name)
  const hook = container?.lifecycle?.preStop
  if (container === undefined || hook === undefined) return undefined
  if (hook.sleep !== undefined) return { afterMs: hook.sleep.seconds * 1000 }
  return hookEndOf(pod, container, hook, behaviour?.preStopSeconds, behaviour?.preStop === "fail", run)
}

const bytes = (text: string | undefined): number => (text === undefined ? 0 : bytesOf(text))

/** Returns the usage of the running containers, as far as behaviours define it, or undefined if none does. */
export const usageOf = (behaviour: PodBehaviour, running: Iterable<string>): PodUsage | undefined => {
  const containers: Record<string, NonNullable<PodUsage["containers"]>[string]> = {}
  let memoryBytes = 0
  let processes = 0
  let isDefined = false
  for (const name of running) {
    const containerBehaviour = behaviourOf(behaviour, name)
    const { disk, logs, memory, processes: count, swap } = containerBehaviour ?? {}
    if ([memory, swap, disk, logs, count].every((given) => given === undefined)) continue
    isDefined = true
    memoryBytes += bytes(memory)
    processes += count ?? 0
    containers[name] = {
      ...(memory === undefined ? {} : { memoryBytes: bytes(memory) }),
      ...(swap === undefined ? {} : { swapBytes: bytes(swap) }),
      ...(disk === undefined ? {} : { rootfsBytes: bytes(disk) }),
      ...(logs === undefined ? {} : { logsBytes: bytes(logs) })
    }
  }
  return isDefined ? { memoryBytes, processes, containers } : undefined
}

import type { Container, Node, Pod, PodStatus } from "@rollcall/api"
import type { Connection } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import type { MountedObjects } from "../../references/MountedObjects.ts"
import type { TokenManager } from "../../references/TokenManager.ts"
import type { ContainerFiles, Written, WrittenFiles } from "../../runtime/command/ContainerFiles.ts"
import { argvOf, commandOf } from "../../runtime/command/environment.ts"
import { inWorld } from "../../runtime/command/RunContext.ts"
import { runProgram } from "../../runtime/command/ShellRun.ts"
import type { Run, RunClock } from "../../runtime/command/ShellWorld.ts"
import type { SeenProbes } from "../../runtime/ProbeOutcomes.ts"
import { environmentWith, type KnownContainer, knownEnvironment, worldOf } from "./containerWorld.ts"
import type { LogRotation } from "./LogRotation.ts"
import { type Referenced, readReferences } from "./References.ts"
import { filesOf } from "./volumeFiles.ts"

/** A pod as its kubelet knows it. */
export interface ServedPod {
  readonly pod: Pod
  readonly status: PodStatus
}

/** What the streams of a kubelet need of it. */
export interface StreamSource {
  /** Identifies the kubelet. */
  readonly kubelet: object
  readonly timers: TimersShape
  readonly connection: Connection
  readonly tokens: () => TokenManager
  readonly mounted: () => MountedObjects
  readonly clockSkewMs: number
  /** When the kubelet's process started, by the clock of the machine. */
  readonly startedMs: number
  readonly logRotation: LogRotation
  readonly node: () => Node | undefined
  readonly podNamed: (namespace: string, name: string) => ServedPod | undefined
  /** Whether the kubelet's process runs: its streams end with it. */
  readonly isRunning: () => boolean
  /** Returns the files that commands have written in a run of a container, or, without one, in the volumes that a pod shares. */
  readonly writtenIn: (pod: Pod, run: string | undefined) => WrittenFiles
  /** Returns the files that commands have written in folders of the machine. */
  readonly writtenOnMachine: () => WrittenFiles
  /** Keeps the files that the command of a container begins with. */
  readonly keepBeginning: (pod: Pod, run: string, written: Written) => void
  /** Returns a copy of them; undefined if there are none. */
  readonly beginningOf: (pod: Pod, run: string) => Written | undefined
  /** Returns those in the volume of a claim, by its `namespace/name`; undefined if its volume is not known here. */
  readonly writtenInClaim: (claim: string) => WrittenFiles | undefined
  /** Returns the variables of a container whose values were in files when it started. */
  readonly fileVariables: (pod: Pod, container: string) => ReadonlyMap<string, string>
  /** Receives whether checks of a container pass from now on, as commands have left its files. */
  readonly probesSeen: (uid: string, container: string, seen: SeenProbes) => void
  /** Ends a running container as its command would. */
  readonly exitContainer: (uid: string, container: string, exitCode: number, message: string) => void
}

/** Returns a container of a pod, of any kind. */
export const anyContainer = ({ spec }: Pod, name: string): Partial<Container> | undefined => {
  const { containers, ephemeralContainers = [], initContainers = [] } = spec
  return [...containers, ...initContainers, ...ephemeralContainers].find((container) => container.name === name)
}

/** A run of a command in a container, and the time that it has taken. */
export interface ContainerRun {
  readonly run: Run<number | undefined>
  readonly clock: RunClock
  readonly files: ContainerFiles
}

export interface RunRequest {
  /** The words of the command; undefined for the container's own. */
  readonly command: ReadonlyArray<string> | undefined
  /**
   * Names the run whose command is carried out again, for the readers of its output: with the files that it has begun with.
   * Undefined if it is not carried out again.
   */
  readonly playedRun: string | undefined
  /** Whether a person reads along, who may look again later for what has changed. */
  readonly isAttended: boolean
  readonly startMs: number
  readonly hasTerminal: boolean
}

const resourcesOf = ({ node }: StreamSource) => {
  const { allocatable = {}, capacity = {} } = node()?.status ?? {}
  return { allocatable, capacity }
}

const restartsOf = ({ containerStatuses = [], initContainerStatuses = [] }: PodStatus, name: string): number =>
  [...initContainerStatuses, ...containerStatuses].find((status) => status.name === name)?.restartCount ?? 0

/** Names the present run of a container, or one before it: another one has other files. */
export const runNameOf = ({ status }: ServedPod, container: string, runsAgo = 0): string =>
  `${container}/${restartsOf(status, container) - runsAgo}`

export const writtenBy = (source: StreamSource, pod: Pod, run: string): Written => ({
  own: source.writtenIn(pod, run),
  shared: source.writtenIn(pod, undefined),
  machine: source.writtenOnMachine(),
  ofClaim: source.writtenInClaim
})

const nothingWritten = (): Written => ({
  own: new Map(),
  shared: new Map(),
  machine: new Map(),
  ofClaim: () => undefined
})

const UNREAD: Referenced = { texts: new Map(), startTexts: new Map(), services: [], tokens: new Map() }

/**
 * Returns a run of a command in a container of which nothing has been read from the API, and which has written `own`; undefined
 * if the command may need that.
 */
export const runUnread = (
  source: StreamSource,
  { pod, status }: ServedPod,
  name: string,
  command: ReadonlyArray<string>,
  own: WrittenFiles
): ContainerRun | undefined => {
  const container = anyContainer(pod, name) ?? {}
  if ((container.envFrom ?? []).length > 0 && command.some((word) => word.includes("$"))) return undefined
  const fileVariables = source.fileVariables(pod, name)
  const known: KnownContainer = { pod, status, container, referenced: UNREAD, fileVariables, ...resourcesOf(source) }
  const environment = environmentWith(known)
  const files = filesOf(known, environment, { ...writtenBy(source, pod, ""), own }, true)
  const startMs = source.timers.now()
  const clock: RunClock = { elapsedMs: 0 }
  const world = worldOf(known, files, startMs + source.clockSkewMs, false)
  return { clock, files, run: runProgram(command, environment, inWorld(world, clock, startMs)) }
}

/** Prepares a run, and calls `begin` once what the container refers to has been read. Returns a function that cancels. */
export const prepareRun = (
  source: StreamSource,
  served: ServedPod,
  name: string,
  { command, hasTerminal, isAttended, playedRun, startMs }: RunRequest,
  begin: (prepared: ContainerRun) => void
): (() => void) => {
  const { pod, status } = served
  const container = anyContainer(pod, name) ?? {}
  const runName = playedRun ?? runNameOf(served, name)
  const reading = { run: runName, isWatched: isAttended }
  return readReferences(source, pod, container, reading, (referenced) => {
    const fileVariables = source.fileVariables(pod, name)
    const known: KnownContainer = { pod, status, container, referenced, fileVariables, ...resourcesOf(source) }
    const environment = knownEnvironment(known)
    const begun = playedRun === undefined ? writtenBy(source, pod, runName) : source.beginningOf(pod, playedRun)
    const files = filesOf(known, environment, begun ?? nothingWritten())
    const world = worldOf(known, files, startMs + source.clockSkewMs, hasTerminal)
    const clock: RunClock = { elapsedMs: 0 }
    const own = argvOf(commandOf(container), environment) ?? []
    // An image that is started with an open input is taken for a shell.
    const argv = command ?? (own.length === 0 && container.stdin === true ? ["sh"] : own)
    const untilMs = source.timers.now() - startMs
    // Without words it is no program that is known.
    begin({ clock, files, run: runProgram(argv, environment, inWorld(world, clock, untilMs)) })
  })
}

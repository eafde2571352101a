import type { Container, Pod } from "@rollcall/api"
import type { ProbeOutcome } from "../ProbeOutcomes.ts"
import { ContainerFiles, type WrittenFiles } from "./ContainerFiles.ts"
import { argvOf, commandOf, environmentOf } from "./environment.ts"
import { inWorld, type RunContext } from "./RunContext.ts"
import { runProgram } from "./ShellRun.ts"
import type { Environment, Run, ShellWorld } from "./ShellWorld.ts"

/** The steps of a command, and its waits, that are followed for a probe. */
const MAX_STEPS = 1_000
const MAX_WAITS = 100

/** Returns the world of a container of which only its own files are known. */
export const ownWorld = ({ metadata }: Pod, written: WrittenFiles): ShellWorld => ({
  hostname: metadata.name ?? "",
  startMs: 0,
  files: new ContainerFiles(written),
  user: 0,
  group: 0,
  groups: [],
  hasTerminal: false
})

/** Returns whether a command that takes no time succeeds; undefined if that is not known. */
export const succeedsAtOnce = (run: Run<number | undefined>): boolean | undefined => {
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const { done, value } = run.next()
    if (done === true) return value === undefined ? undefined : value === 0
    if (value.kind === "wait" || value.kind === "read") return undefined
  }
  return undefined
}

const succeeds = (argv: ReadonlyArray<string>, environment: Environment, context: RunContext): boolean | undefined =>
  succeedsAtOnce(runProgram(argv, environment, { ...context, clock: { elapsedMs: context.clock.elapsedMs } }))

/**
 * Returns how a probe goes whose command looks at the files that the container's own command writes and removes, as that
 * of `touch /tmp/healthy; sleep 30; rm /tmp/healthy; sleep 600`; undefined if the two do not decide that.
 */
export const probeTimelineOf = (
  pod: Pod,
  container: Container,
  command: ReadonlyArray<string>
): ProbeOutcome | undefined => {
  const environment = environmentOf(pod, container)
  const own = argvOf(commandOf(container), environment)
  const probe = argvOf(command, environment)
  // Files of volumes are known only when the container runs.
  if (own === undefined || own.length === 0 || probe === undefined || container.volumeMounts?.some(isOther))
    return undefined
  const clock = { elapsedMs: 0 }
  const written: WrittenFiles = new Map()
  const context = inWorld(ownWorld(pod, written), clock, 0)
  let hasWritten = false
  const run = runProgram(own, environment, context)
  const results: Array<readonly [atMs: number, passes: boolean]> = []
  for (let steps = 0; steps < MAX_STEPS && results.length < MAX_WAITS; steps++) {
    const { done, value } = run.next()
    if (done === true && value === undefined) return undefined
    if (done !== true && value.kind !== "wait" && value.kind !== "read") continue
    hasWritten ||= written.size > 0
    const passes = succeeds(probe, environment, context)
    if (passes === undefined) return undefined
    results.push([clock.elapsedMs, passes])
    if (done === true || value.kind !== "wait" || value.ms === Number.POSITIVE_INFINITY) break
  }
  const [first] = results
  // A file that the command never writes may be in the image.
  if (first === undefined || !hasWritten) return undefined
  const changes = results.filter(([, passes], at) => at > 0 && passes !== results[at - 1]?.[1])
  return { passesFirst: first[1], changesAtMs: changes.map(([atMs]) => atMs) }
}

/** The token of the service account is in every container, and no probe looks at it. */
const TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount"
const isOther = ({ mountPath }: { readonly mountPath: string }): boolean => mountPath !== TOKEN_PATH

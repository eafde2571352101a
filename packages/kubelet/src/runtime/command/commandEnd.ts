import type { Container, Pod } from "@rollcall/api"
import type { ContainerEnd } from "../ModelledPodRuntimeOptions.ts"
import type { ProbeOutcome, ProbeOutcomes } from "../ProbeOutcomes.ts"
import { type KnownRun, knownRunOf } from "./endOfRun.ts"
import { argvOf, commandOf, environmentOf } from "./environment.ts"
import { probeTimelineOf } from "./probeTimeline.ts"

const unknown: KnownRun = { end: undefined, needsContainer: false }

/** Returns what is known of a run from its words and the container's environment alone. */
const knownRunIn = (pod: Pod, container: Container, command: ReadonlyArray<string>): KnownRun => {
  if (command.length === 0) return unknown
  const environment = environmentOf(pod, container)
  const argv = argvOf(command, environment)
  return argv === undefined ? { ...unknown, needsContainer: true } : knownRunOf(argv, environment)
}

const endIn = (pod: Pod, container: Container, command: ReadonlyArray<string>): ContainerEnd | undefined =>
  knownRunIn(pod, container, command).end

/**
 * Returns what is known of the run of a container's command: `sleep 30` and `sh -c "exit 1"` end as they say, and
 * `cat FILE` as the file is there. Without a command the image decides.
 */
export const commandRunOf = (pod: Pod, container: Container | undefined): KnownRun =>
  container === undefined ? unknown : knownRunIn(pod, container, commandOf(container))

/** Returns how a command ends that is run in a container, as that of a hook. */
export const commandEndIn = (
  pod: Pod,
  container: Container,
  command: ReadonlyArray<string>
): ContainerEnd | undefined => endIn(pod, container, command)

const failing: ProbeOutcome = { passesFirst: false, changesAtMs: [] }
const timingOut: ProbeOutcome = { ...failing, failure: "timeout" }
const probeKinds = ["startup", "readiness", "liveness"] as const

/** Returns the outcomes of probes whose commands are known to fail or to take too long; undefined if there are none. */
export const commandProbesOf = (pod: Pod, container: Container | undefined): ProbeOutcomes | undefined => {
  let outcomes: ProbeOutcomes | undefined
  for (const kind of container === undefined ? [] : probeKinds) {
    const probe = container?.[`${kind}Probe`]
    const command = probe?.exec?.command
    if (container === undefined || command === undefined) continue
    const { end, needsContainer } = knownRunIn(pod, container, command)
    const timeline = needsContainer ? probeTimelineOf(pod, container, command) : undefined
    if (timeline !== undefined) {
      outcomes = { ...outcomes, [kind]: timeline }
      continue
    }
    const timesOut = end !== undefined && end.afterMs >= (probe?.timeoutSeconds ?? 1) * 1000
    if (end === undefined || (end.exitCode === 0 && !timesOut)) continue
    outcomes = { ...outcomes, [kind]: timesOut ? timingOut : failing }
  }
  return outcomes
}

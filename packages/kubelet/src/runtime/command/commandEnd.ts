import type { Container, Pod, Probe } from "@rollcall/api"
import type { ProbeOutcome, ProbeOutcomes } from "../ProbeOutcomes.ts"
import { agnhostListens, serverOutcomeOf } from "./agnhostServers.ts"
import { type KnownRun, knownRunOf } from "./endOfRun.ts"
import { argvOf, commandOf, environmentOf, keepsBraces } from "./environment.ts"
import { probeTimelineOf } from "./probeTimeline.ts"

const unknown: KnownRun = { end: undefined, needsContainer: false, runsOn: false, readsInput: false }

/** Returns what is known of a run from its words and the container's environment alone. */
const knownRunIn = (pod: Pod, container: Container, command: ReadonlyArray<string>): KnownRun => {
  if (command.length === 0) return unknown
  const environment = environmentOf(pod, container)
  const argv = argvOf(command, environment)
  return argv === undefined
    ? { ...unknown, needsContainer: true }
    : knownRunOf(argv, environment, { isInputClosed: container.stdin !== true, keepsBraces: keepsBraces(container) })
}

/**
 * Returns what is known of the run of a container's command: `sleep 30` and `sh -c "exit 1"` end as they say, and
 * `cat FILE` as the file is there. Without a command the image decides.
 */
export const commandRunOf = (pod: Pod, container: Container | undefined): KnownRun =>
  container === undefined ? unknown : knownRunIn(pod, container, commandOf(container))

/** Returns what is known of the run of another command in a container, as that of a hook. */
export const runInContainer = (pod: Pod, container: Container, command: ReadonlyArray<string>): KnownRun =>
  knownRunIn(pod, container, command)

const failing: ProbeOutcome = { passesFirst: false, changesAtMs: [] }
const refused: ProbeOutcome = { ...failing, failure: "refused" }
const timingOut: ProbeOutcome = { ...failing, failure: "timeout" }
const probeKinds = ["startup", "readiness", "liveness"] as const

/** Returns how a probe with a command goes, if it is known not to pass always. */
const execOutcomeOf = (
  pod: Pod,
  container: Container,
  command: ReadonlyArray<string>,
  timeoutMs: number
): ProbeOutcome | undefined => {
  const { end, needsContainer } = knownRunIn(pod, container, command)
  const timeline = needsContainer ? probeTimelineOf(pod, container, command) : undefined
  if (timeline !== undefined || end === undefined) return timeline
  return end.afterMs >= timeoutMs ? timingOut : end.exitCode === 0 ? undefined : failing
}

/** Whether a container is known to listen on no port: all that its command does is modelled, and that serves nothing. */
const listensNowhere = (pod: Pod, container: Container): boolean => {
  const listens = agnhostListens(pod, container)
  if (listens !== undefined) return !listens
  const { end, needsContainer, runsOn } = commandRunOf(pod, container)
  return !needsContainer && (runsOn || end !== undefined)
}

/** Returns how a probe over the network goes: to a server that is known, or to a pod that has none. */
const networkOutcomeOf = (pod: Pod, container: Container, probe: Probe): ProbeOutcome | undefined => {
  const { containers, initContainers = [] } = pod.spec
  const served = serverOutcomeOf(pod, container, probe)
  const { host } = probe.httpGet ?? probe.tcpSocket ?? {}
  if (served !== undefined || host !== undefined || pod.spec.hostNetwork === true) return served
  // The containers of a pod share its address.
  return [...containers, ...initContainers].every((each) => listensNowhere(pod, each)) ? refused : undefined
}

/** Returns the outcomes of probes that are known not to pass always; undefined if there are none. */
export const commandProbesOf = (pod: Pod, container: Container | undefined): ProbeOutcomes | undefined => {
  let outcomes: ProbeOutcomes | undefined
  for (const kind of container === undefined ? [] : probeKinds) {
    const probe = container?.[`${kind}Probe`]
    const command = probe?.exec?.command
    if (container === undefined || probe === undefined) continue
    const outcome =
      command === undefined
        ? networkOutcomeOf(pod, container, probe)
        : execOutcomeOf(pod, container, command, (probe.timeoutSeconds ?? 1) * 1000)
    if (outcome !== undefined) outcomes = { ...outcomes, [kind]: outcome }
  }
  return outcomes
}

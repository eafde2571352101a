import type { Container, Pod } from "@rollcall/api"
import type { ContainerEnd } from "../ModelledPodRuntimeOptions.ts"
import type { ProbeOutcome, ProbeOutcomes } from "../ProbeOutcomes.ts"
import { endOfRun } from "./endOfRun.ts"
import { argvOf, commandOf, environmentOf } from "./environment.ts"

/** Returns how a command ends in a container, if its words and the container's environment alone decide that. */
const endIn = (pod: Pod, container: Container, command: ReadonlyArray<string>): ContainerEnd | undefined => {
  if (command.length === 0) return undefined
  const environment = environmentOf(pod, container)
  const argv = argvOf(command, environment)
  return argv === undefined ? undefined : endOfRun(argv, environment)
}

/**
 * Returns how the command of a container ends, if it is known, as that of `sleep 30` or `sh -c "exit 1"`; else
 * undefined. Without a command the image decides.
 */
export const commandEndOf = (pod: Pod, container: Container | undefined): ContainerEnd | undefined =>
  container === undefined ? undefined : endIn(pod, container, commandOf(container))

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
    const end = container === undefined || command === undefined ? undefined : endIn(pod, container, command)
    const timesOut = end !== undefined && end.afterMs >= (probe?.timeoutSeconds ?? 1) * 1000
    if (end === undefined || (end.exitCode === 0 && !timesOut)) continue
    outcomes = { ...outcomes, [kind]: timesOut ? timingOut : failing }
  }
  return outcomes
}

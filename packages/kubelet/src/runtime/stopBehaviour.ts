import type { Pod } from "@rollcall/api"
import { stopByTrap } from "./command/stopByTrap.ts"
import type { ModelledPodRuntimeOptions } from "./ModelledPodRuntimeOptions.ts"
import { containerOf } from "./modelledOutcomes.ts"
import type { ContainerBehaviour } from "./PodBehaviour.ts"
import type { StopBehaviour } from "./TerminationPlan.ts"

/**
 * Returns how a container reacts to being stopped: by its behaviour, else by what its command traps, which has run for this
 * long; undefined if it traps nothing. `preStopMs` is how long its hook takes.
 */
export const stopBehaviourOf = (
  pod: Pod,
  name: string,
  behaviour: ContainerBehaviour | undefined,
  ranMs: number | undefined,
  preStopMs: number,
  { stopExitCode = 0, stopMs = 1_000 }: ModelledPodRuntimeOptions
): StopBehaviour => {
  const { stopExitCode: ownCode, stopSeconds } = behaviour ?? {}
  const container = containerOf(pod, name)
  const trapped =
    ranMs === undefined || stopSeconds !== undefined || container === undefined
      ? undefined
      : stopByTrap(pod, container, ranMs + preStopMs)
  return {
    stopMs: stopSeconds === undefined ? (trapped?.afterMs ?? stopMs) : stopSeconds * 1000,
    exitCode: ownCode ?? trapped?.exitCode ?? stopExitCode,
    preStopMs
  }
}

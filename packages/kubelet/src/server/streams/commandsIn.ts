import type { Pod } from "@rollcall/api"
import type { ContainerEnd } from "../../runtime/ModelledPodRuntimeOptions.ts"
import type { ContainerCommands } from "../../runtime/PodRuntime.ts"
import { logOf, runsStill } from "./commandStream.ts"
import { runNameOf, runUnread, type StreamSource } from "./containerRun.ts"
import { followCommand } from "./followCommand.ts"
import { changesOf, lookAtProbes } from "./probesInFiles.ts"

/** The steps of a hook that are followed; one that takes more runs until it is stopped. */
const MAX_STEPS = 1_000

/** Carries out the command of a hook in its container: what it writes is there at once, whenever it ends. */
const runHook = (
  source: StreamSource,
  { metadata }: Pod,
  container: string,
  command: ReadonlyArray<string>
): ContainerEnd | undefined => {
  const served = source.podNamed(metadata.namespace ?? "", metadata.name ?? "")
  if (served === undefined || served.pod.metadata.uid !== metadata.uid) return undefined
  const written = source.writtenIn(served.pod, runNameOf(served, container))
  const prepared = runUnread(source, served, container, command, written)
  if (prepared === undefined) return undefined
  const { clock, files, run } = prepared
  const changed = changesOf(source, served.pod, files)
  const log = logOf(source, served, container)
  const runs = runsStill(source, served, container)
  const later = (text: string): void => {
    if (clock.elapsedMs === 0) log(text)
    else source.timers.after(clock.elapsedMs, () => runs() && log(text))
  }
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const { done, value } = run.next()
    if (done !== true && value.kind === "log") later(value.text)
    if (done !== true && !(value.kind === "wait" && value.ms === Number.POSITIVE_INFINITY)) continue
    changed()
    if (done !== true) break
    return value === undefined ? undefined : { afterMs: clock.elapsedMs, exitCode: value }
  }
  return { afterMs: Number.POSITIVE_INFINITY, exitCode: 0 }
}

/** Returns what carries out commands in the containers of a kubelet. */
export const commandsIn = (source: () => StreamSource): ContainerCommands => ({
  follow: (...asked) => followCommand(source(), ...asked),
  lookAtProbes: (...asked) => lookAtProbes(source(), ...asked),
  runHook: (...asked) => runHook(source(), ...asked)
})

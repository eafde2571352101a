import type { Container, Pod, Probe } from "@rollcall/api"
import { fileServedTo } from "../../runtime/command/agnhostServers.ts"
import type { ContainerFiles } from "../../runtime/command/ContainerFiles.ts"
import { knownRunOf } from "../../runtime/command/endOfRun.ts"
import { argvOf, environmentOf } from "../../runtime/command/environment.ts"
import { succeedsAtOnce } from "../../runtime/command/probeTimeline.ts"
import type { ProbeKind, SeenProbes } from "../../runtime/ProbeOutcomes.ts"
import { prepareRun, runUnread, type ServedPod, type StreamSource } from "./containerRun.ts"

const kinds: ReadonlyArray<ProbeKind> = ["startup", "readiness", "liveness"]

/** Returns a command that tells whether a probe passes which looks at files of its container; undefined for any other probe. */
const commandOfProbe = (pod: Pod, container: Container, probe: Probe): ReadonlyArray<string> | undefined => {
  const command = probe.exec?.command
  if (command === undefined) {
    const path = fileServedTo(pod, container, probe)
    return path === undefined ? undefined : ["test", "-e", path]
  }
  const environment = environmentOf(pod, container)
  const argv = argvOf(command, environment)
  return argv === undefined || knownRunOf(argv, environment).needsContainer ? command : undefined
}

/** Returns which probes of a container that starts pass, as far as its volumes and its image decide that. */
export const lookAtProbes = (source: StreamSource, { metadata }: Pod, name: string): SeenProbes => {
  const served = source.podNamed(metadata.namespace ?? "default", metadata.name ?? "")
  const container = [...(served?.pod.spec.initContainers ?? []), ...(served?.pod.spec.containers ?? [])].find(
    (each) => each.name === name
  )
  const seen: Partial<Record<ProbeKind, boolean>> = {}
  if (served === undefined || container === undefined) return seen
  for (const kind of kinds) {
    const probe = container[`${kind}Probe`]
    const command = probe?.exec === undefined ? undefined : commandOfProbe(served.pod, container, probe)
    const looking = command === undefined ? undefined : runUnread(source, served, name, command, new Map())
    const passes = looking === undefined ? undefined : succeedsAtOnce(looking.run)
    if (passes !== undefined && looking?.files.hasMissed === false) seen[kind] = passes
  }
  return seen
}

/** Runs the probes of a pod that look at files. */
const checkProbes = (source: StreamSource, { metadata }: Pod): void => {
  const { name = "", namespace = "default", uid = "" } = metadata
  const served: ServedPod | undefined = source.podNamed(namespace, name)
  if (served === undefined || served.pod.metadata.uid !== uid) return
  const { containers, initContainers = [] } = served.pod.spec
  for (const container of [...initContainers, ...containers]) {
    for (const kind of kinds) {
      const probe = container[`${kind}Probe`]
      const command = probe === undefined ? undefined : commandOfProbe(served.pod, container, probe)
      if (command === undefined) continue
      const startMs = source.timers.now()
      const request = { command, playedRun: undefined, isAttended: false, startMs, hasTerminal: false }
      prepareRun(source, served, container.name, request, ({ files, run }) => {
        const passes = succeedsAtOnce(run)
        if (passes !== undefined && !files.hasMissed) source.probesSeen(uid, container.name, { [kind]: passes })
      })
    }
  }
}

/** Returns a function to call when a command waits or ends: it runs the probes of the pod if the command has changed files. */
export const changesOf = (source: StreamSource, pod: Pod, files: ContainerFiles): (() => void) => {
  let checked = files.changes
  return () => {
    if (files.changes === checked) return
    checked = files.changes
    checkProbes(source, pod)
  }
}

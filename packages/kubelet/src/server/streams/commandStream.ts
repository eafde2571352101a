import type { KubeletStream } from "@rollcall/streams/kubelet"
import { type CommandOptions, CommandSession } from "./CommandSession.ts"
import { runNameOf, type ServedPod, type StreamSource } from "./containerRun.ts"
import { additionsKey, logAdditionsOf } from "./LogAdditions.ts"
import { statusNamed } from "./logStream.ts"

/** Returns whether the run of a container that is present now runs still. */
export const runsStill = (source: StreamSource, served: ServedPod, container: string) => {
  const { name = "", namespace = "", uid } = served.pod.metadata
  const { containerID } = statusNamed(served, container) ?? {}
  return (): boolean => {
    const now = source.podNamed(namespace, name)
    if (now === undefined || now.pod.metadata.uid !== uid) return false
    const status = statusNamed(now, container)
    return status?.state?.running !== undefined && status.containerID === containerID
  }
}

/** Returns what adds to the log of a container what another command has written to the output of its own one. */
export const logOf =
  ({ clockSkewMs, timers }: StreamSource, served: ServedPod, container: string) =>
  (text: string): void => {
    const key = additionsKey(served.pod, runNameOf(served, container))
    logAdditionsOf(timers).write(key, { atMs: timers.now() + clockSkewMs, text })
  }

/** Returns the stream of a command in a running container. */
export const execStream = (
  source: StreamSource,
  served: ServedPod,
  container: string,
  options: CommandOptions
): KubeletStream => ({
  open: (client) => {
    const session = new CommandSession(source, client, options, {
      isRunning: runsStill(source, served, container),
      log: logOf(source, served, container)
    })
    const { command, stdin, tty } = options
    session.begin(
      served,
      container,
      { command, playedRun: undefined, isAttended: true, startMs: source.timers.now(), hasTerminal: tty },
      stdin
    )
    return session
  }
})

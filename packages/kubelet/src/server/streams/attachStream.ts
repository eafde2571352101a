import { type Container, parseTime } from "@rollcall/api"
import type { KubeletStream, StreamClient } from "@rollcall/streams/kubelet"
import { commandRunOf } from "../../runtime/command/commandEnd.ts"
import { commandOf } from "../../runtime/command/environment.ts"
import { CommandSession } from "./CommandSession.ts"
import { runsStill } from "./commandStream.ts"
import { anyContainer, runNameOf, type ServedPod, type StreamSource } from "./containerRun.ts"
import { additionsKey, logAdditionsOf } from "./LogAdditions.ts"
import { loneCommandsOf } from "./LoneCommands.ts"
import { logStream, statusNamed } from "./logStream.ts"
import { TerminationMessage } from "./TerminationMessage.ts"

/**
 * Returns the command of a container whose input is open, if it reads that, as a shell does. Without words it is taken
 * for a shell.
 */
const readerOf = ({ pod }: ServedPod, name: string): ReadonlyArray<string> | undefined => {
  const container = anyContainer(pod, name)
  if (container?.stdin !== true) return undefined
  const command = commandOf(container)
  if (command.length === 0) return ["sh"]
  return commandRunOf(pod, container as Container).readsInput ? command : undefined
}

/** Shows what a container writes from now on, wherever it comes from. */
const followOutput = (source: StreamSource, served: ServedPod, container: string, client: StreamClient) => {
  const shown = { follow: true, previous: false, timestamps: false, limitBytes: undefined, sinceMs: undefined }
  const ending: StreamClient = { ...client, end: () => client.end(0) }
  const { close } = logStream(source, served, container, { ...shown, tailLines: 0 }).open(ending)
  return { write: () => {}, end: () => {}, close }
}

const attachSession = (
  source: StreamSource,
  served: ServedPod,
  name: string,
  command: ReadonlyArray<string>,
  client: StreamClient
): CommandSession => {
  const { timers } = source
  const { uid = "" } = served.pod.metadata
  const container = anyContainer(served.pod, name) ?? {}
  const { stdinOnce = false, tty = false } = container
  const isRunning = runsStill(source, served, name)
  const run = runNameOf(served, name)
  const message = new TerminationMessage(container)
  const key = additionsKey(served.pod, run)
  const lone = loneCommandsOf(timers)
  const exited = (status: number): void => {
    lone.end(key)
    const written = source.writtenIn(served.pod, run).get(message.path)?.text
    if (isRunning()) source.exitContainer(uid, name, status, message.of(written, status))
  }
  const wrote = (text: string, hasRead: boolean): void => {
    message.wrote(text)
    const part = { atMs: timers.now() + source.clockSkewMs, text }
    if (hasRead) logAdditionsOf(timers).write(key, part)
  }
  // The exit code is that of the container, not of the stream.
  const attached: StreamClient = { ...client, end: () => client.end(0) }
  // Upstream: containerd's internal/cri/io/container_io.go, Attach.
  const alone = { endsInput: stdinOnce && !tty, left: (stop: () => void) => lone.keep(key, stop) }
  const handlers = { isRunning, exited, wrote, joins: !tty, alone }
  // The command is carried out anew: what an earlier client has left has no part in the container any more.
  lone.end(key)
  const session = new CommandSession(source, attached, { command, stdin: true, tty }, handlers)
  const { startedAt } = statusNamed(served, name)?.state?.running ?? {}
  const startMs = startedAt === undefined ? timers.now() : parseTime(startedAt) - source.clockSkewMs
  const request = { command: undefined, playedRun: undefined, isAttended: true, hasTerminal: tty }
  session.begin(served, name, { ...request, startMs: Math.min(startMs, timers.now()) }, true)
  return session
}

/**
 * Returns the stream of a container's own command. One that reads its open input is carried out anew for each client,
 * and its exit ends the container; of any other command, what it writes from now on is shown.
 */
export const attachStream = (
  source: StreamSource,
  served: ServedPod,
  container: string,
  { stdin }: { readonly stdin: boolean }
): KubeletStream => ({
  open: (client) => {
    const command = stdin ? readerOf(served, container) : undefined
    return command === undefined
      ? followOutput(source, served, container, client)
      : attachSession(source, served, container, command, client)
  }
})

import { goQuote } from "@rollcall/api"
import type { KubeletPorts, KubeletStream } from "@rollcall/streams/kubelet"
import { logRefusal } from "./containerLogs.ts"
import { type Answer, type KubeletRequest, type KubeletResponse, TEXT, text } from "./KubeletRequest.ts"
import { runningContainer } from "./runningContainer.ts"
import { attachStream } from "./streams/attachStream.ts"
import { execStream } from "./streams/commandStream.ts"
import { isTrue, logOptionsOf } from "./streams/logOptions.ts"
import { logStream } from "./streams/logStream.ts"

const flag = (query: KubeletRequest["query"], ...names: ReadonlyArray<string>): boolean =>
  names.some((name) => isTrue(query.get(name)?.[0]))

/** Upstream: PodLogsQuerySplitStreams, which is off by default. */
const oneStream = (stream: string): string =>
  `unable to return the given log stream: ${goQuote(stream)}. Please enable PodLogsQuerySplitStreams feature gate in kubelet`

/** `/containerLogs/{namespace}/{pod}/{container}`. Upstream: pkg/kubelet/server getContainerLogs. */
export const containerLogs: Answer = ({ streams }, query, path) => {
  const [, , namespace = "", name = "", container = ""] = path.split("/")
  const options = logOptionsOf(query, streams.timers.now() + streams.clockSkewMs)
  if ("code" in options) return text(options.code, options.text)
  const served = streams.podNamed(namespace, name)
  const refusal = logRefusal(served, name, container, options.previous)
  if (refusal !== undefined || served === undefined) return text(refusal?.code ?? 404, refusal?.text ?? "")
  const stream = query.get("stream")?.[0]
  if (stream !== undefined && stream !== "All") return text(400, oneStream(stream))
  return { code: 200, contentType: TEXT, body: logStream(streams, served, container, options) }
}

const switching = (body: KubeletStream | KubeletPorts): KubeletResponse => ({ code: 101, contentType: TEXT, body })

/** Upstream: cri/streaming/remotecommand NewOptions. */
const NOTHING_ASKED = "you must specify at least 1 of stdin, stdout, stderr"

const channelsOf = (query: KubeletRequest["query"]) => ({
  stdin: flag(query, "stdin", "input"),
  stdout: flag(query, "stdout", "output"),
  stderr: flag(query, "stderr", "error"),
  tty: flag(query, "tty")
})

/** `/exec/…`. */
export const exec: Answer = (content, query, path) => {
  const channels = channelsOf(query)
  if (!channels.stdin && !channels.stdout && !channels.stderr) return text(400, NOTHING_ASKED)
  const found = runningContainer(content, path)
  if ("code" in found) return found
  const options = { ...channels, command: query.get("command") ?? [] }
  const { open } = execStream(content.streams, found.served, found.container, options)
  return switching({ open, channels })
}

/** `/attach/…`. Upstream: pkg/kubelet GetAttach. */
export const attach: Answer = (content, query, path) => {
  const channels = channelsOf(query)
  if (!channels.stdin && !channels.stdout && !channels.stderr) return text(400, NOTHING_ASKED)
  const found = runningContainer(
    content,
    path,
    ({ container, fullName }) => `container ${container} not found in pod ${fullName}`
  )
  if ("code" in found) return found
  const { container, served, uid } = found
  const { name, namespace, uid: own } = served.pod.metadata
  if (uid !== undefined && uid !== own) return text(500, `pod ${name}_${namespace} not found`)
  const { open } = attachStream(content.streams, served, container, channels)
  return switching({ open, channels })
}

const noInput = { write: () => {}, end: () => {}, close: () => {} }

/** `/portForward/…`, where the uid of the pod may stand at the end. No process listens in a modelled container. */
export const portForward: Answer = ({ streams }, _, path) => {
  const [, , namespace = "", name = "", asked] = path.split("/")
  const pod = streams.podNamed(namespace, name)?.pod
  if (pod === undefined) return text(404, "pod does not exist")
  const { uid = "" } = pod.metadata
  if (asked !== undefined && asked !== uid) return text(404, "pod not found")
  const why = "this node is modelled, and its containers have no open ports"
  return switching({
    connect: (port) => ({
      open: (client) => {
        client.end({ error: `error forwarding port ${port} to pod ${name}, uid ${uid}: ${why}` })
        return noInput
      }
    })
  })
}

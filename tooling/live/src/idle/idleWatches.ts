import { type ClientHttp2Stream, connect } from "node:http2"
import * as Effect from "effect/Effect"
import { eventually } from "../process/eventually.ts"
import { kubectlFor, kubectlVersion } from "../process/kubectl.ts"
import { configOf, freePort, readyServer, temporaryFolder } from "../process/rollcall.ts"

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
const CONNECTIONS = 4
/** Added to the idle time, so that a server that cuts watches after exactly that time is noticed. */
const MARGIN_MS = 1000

export interface IdleReport {
  readonly minutes: number
  readonly watches: number
  /** Watches that ended before the event, or never received it. */
  readonly cut: number
  /** The result of kubectl's watch. Undefined if kubectl is not installed. */
  readonly kubectl: "received" | "cut" | undefined
}

interface Watch {
  readonly stream: ClientHttp2Stream
  text: string
  ended: boolean
}

/** Keeps watches over HTTP/2 idle for some minutes, then creates one object. */
export const idleWatches = Effect.fnUntraced(function* (minutes: number, count: number) {
  const folder = yield* temporaryFolder
  const port = yield* freePort
  const server = yield* readyServer({ folder, port })
  const { tls } = yield* configOf(server.kubeconfig)
  const connections = yield* Effect.acquireRelease(
    Effect.sync(() =>
      Array.from({ length: CONNECTIONS }, () => {
        const connection = connect(`https://127.0.0.1:${port}`, { ca: tls.ca, cert: tls.cert, key: tls.key })
        connection.on("error", () => {})
        return connection
      })
    ),
    (all) =>
      Effect.sync(() => {
        for (const connection of all) connection.destroy()
      })
  )
  const timeoutSeconds = Math.ceil(minutes * 60) + 600
  const open = (index: number): Watch => {
    const path = `${CONFIG_MAPS}?watch=true&timeoutSeconds=${timeoutSeconds}`
    const stream = (connections[index % CONNECTIONS] as (typeof connections)[number]).request({ ":path": path })
    const watch: Watch = { stream, text: "", ended: false }
    stream.setEncoding("utf8").on("data", (text: string) => {
      watch.text += text
    })
    stream.on("error", () => {})
    stream.on("close", () => {
      watch.ended = true
    })
    return watch
  }
  const watches = Array.from({ length: count }, (_, index) => open(index))
  const kubectl = kubectlFor(server.kubeconfig)
  const kubectlWatch =
    kubectlVersion === undefined ? undefined : yield* kubectl.start("get", "configmaps", "-w", "-o", "name")
  yield* Effect.sleep(minutes * 60_000 + MARGIN_MS)
  const cutBefore = watches.filter(({ ended }) => ended).length
  const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "at-last" } })
  const writer = (connections[0] as (typeof connections)[number]).request({
    ":method": "POST",
    ":path": CONFIG_MAPS,
    "content-type": "application/json"
  })
  writer.end(body)
  writer.resume()
  const countWithoutEvent = () => watches.filter(({ text }) => !text.includes("at-last")).length
  yield* eventually("the event of every watch that lives", Effect.sync(countWithoutEvent), (left) => left <= cutBefore)
  const outcome =
    kubectlWatch === undefined
      ? undefined
      : yield* eventually(
          "kubectl's line or end",
          Effect.sync(() =>
            /at-last/.test(kubectlWatch.stdout()) ? "received" : kubectlWatch.hasEnded() ? "cut" : "waiting"
          ),
          (state) => state !== "waiting"
        )
  const report: IdleReport = {
    minutes,
    watches: count,
    cut: countWithoutEvent(),
    kubectl: outcome === "waiting" ? undefined : outcome
  }
  return report
}, Effect.scoped)

import { type ClientHttp2Stream, connect } from "node:http2"
import * as Effect from "effect/Effect"
import { eventually } from "../process/eventually.ts"
import { kubectlFor, kubectlVersion } from "../process/kubectl.ts"
import { configOf, freePort, readyServer, temporaryFolder } from "../process/rollcall.ts"

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
const SESSIONS = 4
const LINGER_MS = 1000

export interface IdleReport {
  readonly minutes: number
  readonly watches: number
  /** Watches that ended before the event, or never received it. */
  readonly cut: number
  /** The watch of kubectl; undefined: kubectl is not installed. */
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
  const sessions = yield* Effect.acquireRelease(
    Effect.sync(() =>
      Array.from({ length: SESSIONS }, () => {
        const session = connect(`https://127.0.0.1:${port}`, { ca: tls.ca, cert: tls.cert, key: tls.key })
        session.on("error", () => {})
        return session
      })
    ),
    (all) =>
      Effect.sync(() => {
        for (const session of all) session.destroy()
      })
  )
  const timeoutSeconds = Math.ceil(minutes * 60) + 600
  const open = (index: number): Watch => {
    const path = `${CONFIG_MAPS}?watch=true&timeoutSeconds=${timeoutSeconds}`
    const stream = (sessions[index % SESSIONS] as (typeof sessions)[number]).request({ ":path": path })
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
  const following =
    kubectlVersion === undefined ? undefined : yield* kubectl.start("get", "configmaps", "-w", "-o", "name")
  yield* Effect.sleep(minutes * 60_000 + LINGER_MS)
  const cutBefore = watches.filter(({ ended }) => ended).length
  const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "at-last" } })
  const writer = (sessions[0] as (typeof sessions)[number]).request({
    ":method": "POST",
    ":path": CONFIG_MAPS,
    "content-type": "application/json"
  })
  writer.end(body)
  writer.resume()
  const silent = () => watches.filter(({ text }) => !text.includes("at-last")).length
  yield* eventually("the event of every watch that lives", Effect.sync(silent), (left) => left <= cutBefore)
  const outcome =
    following === undefined
      ? undefined
      : yield* eventually(
          "kubectl's line or end",
          Effect.sync(() =>
            /at-last/.test(following.stdout()) ? "received" : following.hasEnded() ? "cut" : "waiting"
          ),
          (state) => state !== "waiting"
        )
  const report: IdleReport = {
    minutes,
    watches: count,
    cut: silent(),
    kubectl: outcome === "waiting" ? undefined : outcome
  }
  return report
}, Effect.scoped)

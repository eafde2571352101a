import { Agent, request } from "node:https"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { formatMicroTime } from "@rollcall/api"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Observation, ObserverSettings } from "./protocol.ts"

/** The interval and timeout of a kubelet's renewals: 10 s each. Upstream: pkg/kubelet/kubelet.go, and component-helpers/apimachinery/lease. */
const RENEW_EVERY_MS = 10_000
const RENEW_TIMEOUT_MS = 10_000
/** Upstream: component-base/config, RetryPeriod and RenewDeadline. */
const LEADER_EVERY_MS = 2_000
const LEADER_TIMEOUT_MS = 10_000
const PROBE_EVERY_MS = 20
const PROBE_TIMEOUT_MS = 120_000
const LEASES = "/apis/coordination.k8s.io/v1/namespaces"

const settings = JSON.parse(process.argv[2] ?? "{}") as ObserverSettings
const { ca, leaderToken, nodeTokens, port } = settings

interface Tally {
  probes: number
  failedProbes: number
  longestStallMs: number
  renewals: number
  leaderRenewals: number
  lost: Record<string, number>
  slowestRenewalMs: number
}

const nothing = (): Tally => ({
  probes: 0,
  failedProbes: 0,
  longestStallMs: 0,
  renewals: 0,
  leaderRenewals: 0,
  lost: {},
  slowestRenewalMs: 0
})

let tally = nothing()
/** When the pending probe was sent. */
let probingSinceMs: number | undefined

interface Asked {
  readonly agent: Agent | false
  readonly method: string
  readonly path: string
  readonly token?: string
  readonly body?: string
  readonly timeoutMs: number
}

/** Sends a request; returns the status code or the error, and the body. */
const ask = ({ agent, body, method, path, timeoutMs, token }: Asked) =>
  Effect.callback<{ readonly ended: string; readonly body: string }>((resume) => {
    const headers = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(body) })
    }
    const sent = request({ host: "127.0.0.1", port, ca, agent, method, path, headers }, (answer) => {
      const parts: Array<Buffer> = []
      answer.on("data", (part: Buffer) => parts.push(part))
      answer.on("error", (error: NodeJS.ErrnoException) => resume(end(error.code ?? error.message)))
      answer.on("end", () =>
        resume(Effect.succeed({ ended: String(answer.statusCode), body: Buffer.concat(parts).toString() }))
      )
    })
    sent.on("error", (error: NodeJS.ErrnoException) => resume(end(error.code ?? error.message)))
    sent.end(body)
    return Effect.sync(() => sent.destroy())
  }).pipe(Effect.timeoutOrElse({ duration: timeoutMs, orElse: () => end("timeout") }))

const end = (ended: string) => Effect.succeed({ ended, body: "" })

const probe = Effect.gen(function* () {
  const since = yield* Clock.currentTimeMillis
  probingSinceMs = since
  const { ended } = yield* ask({ agent: false, method: "GET", path: "/livez", timeoutMs: PROBE_TIMEOUT_MS })
  const tookMs = (yield* Clock.currentTimeMillis) - since
  probingSinceMs = undefined
  tally.probes++
  if (ended !== "200") tally.failedProbes++
  tally.longestStallMs = Math.max(tally.longestStallMs, tookMs)
  yield* Effect.sleep(PROBE_EVERY_MS)
})

interface Renewer {
  readonly namespace: string
  readonly name: string
  readonly token: string
  readonly everyMs: number
  readonly timeoutMs: number
  readonly renewed: () => void
}

/** Creates a Lease, then renews it until interrupted, on its own connection. */
const renewLease = Effect.fnUntraced(function* ({ everyMs, name, namespace, renewed, timeoutMs, token }: Renewer) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca })
  const collection = `${LEASES}/${namespace}/leases`
  const fresh = {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name, namespace },
    spec: { holderIdentity: name, leaseDurationSeconds: 40 }
  }
  let lease: typeof fresh | undefined
  while (true) {
    const since = yield* Clock.currentTimeMillis
    const spec = { ...(lease ?? fresh).spec, renewTime: formatMicroTime(since) }
    const body = JSON.stringify({ ...(lease ?? fresh), spec })
    const target =
      lease === undefined ? { method: "POST", path: collection } : { method: "PUT", path: `${collection}/${name}` }
    const answer = yield* ask({ ...target, agent, token, body, timeoutMs })
    const tookMs = (yield* Clock.currentTimeMillis) - since
    if (answer.ended === "200" || answer.ended === "201") {
      lease = JSON.parse(answer.body) as typeof fresh
      renewed()
      tally.slowestRenewalMs = Math.max(tally.slowestRenewalMs, tookMs)
    } else tally.lost[answer.ended] = (tally.lost[answer.ended] ?? 0) + 1
    yield* Effect.sleep(Math.max(0, everyMs - tookMs))
  }
})

const node = (token: string, index: number) =>
  Effect.sleep((index * RENEW_EVERY_MS) / nodeTokens.length).pipe(
    Effect.andThen(
      renewLease({
        namespace: "kube-node-lease",
        name: `node-${index}`,
        token,
        everyMs: RENEW_EVERY_MS,
        timeoutMs: RENEW_TIMEOUT_MS,
        renewed: () => tally.renewals++
      })
    )
  )

const leader = renewLease({
  namespace: "kube-system",
  name: "kube-controller-manager",
  token: leaderToken,
  everyMs: LEADER_EVERY_MS,
  timeoutMs: LEADER_TIMEOUT_MS,
  renewed: () => tally.leaderRenewals++
})

/** Answers each message with the observation since the last one. */
const answerQuestions = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  process.on("message", () => {
    const waited = probingSinceMs === undefined ? 0 : clock.currentTimeMillisUnsafe() - probingSinceMs
    const observation: Observation = { ...tally, longestStallMs: Math.max(tally.longestStallMs, waited) }
    tally = nothing()
    process.send?.(observation)
  })
  process.on("disconnect", () => process.exit(0))
})

NodeRuntime.runMain(
  Effect.all([answerQuestions, Effect.forever(probe), leader, ...nodeTokens.map(node)], {
    concurrency: "unbounded",
    discard: true
  })
)

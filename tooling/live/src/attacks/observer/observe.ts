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

const emptyTally = (): Tally => ({
  probes: 0,
  failedProbes: 0,
  longestStallMs: 0,
  renewals: 0,
  leaderRenewals: 0,
  lost: {},
  slowestRenewalMs: 0
})

let tally = emptyTally()
/** The time at which the pending probe was sent, or undefined if none is pending. */
let probingSinceMs: number | undefined

interface RequestOptions {
  readonly agent: Agent | false
  readonly method: string
  readonly path: string
  readonly token?: string
  readonly body?: string
  readonly timeoutMs: number
}

/** Sends a request. Returns the status code as text, or the error's code, or `timeout`; and the body. */
const sendRequest = ({ agent, body, method, path, timeoutMs, token }: RequestOptions) =>
  Effect.callback<{ readonly outcome: string; readonly body: string }>((resume) => {
    const headers = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(body) })
    }
    const sent = request({ host: "127.0.0.1", port, ca, agent, method, path, headers }, (answer) => {
      const parts: Array<Buffer> = []
      answer.on("data", (part: Buffer) => parts.push(part))
      answer.on("error", (error: NodeJS.ErrnoException) => resume(failed(error.code ?? error.message)))
      answer.on("end", () =>
        resume(Effect.succeed({ outcome: String(answer.statusCode), body: Buffer.concat(parts).toString() }))
      )
    })
    sent.on("error", (error: NodeJS.ErrnoException) => resume(failed(error.code ?? error.message)))
    sent.end(body)
    return Effect.sync(() => sent.destroy())
  }).pipe(Effect.timeoutOrElse({ duration: timeoutMs, orElse: () => failed("timeout") }))

const failed = (outcome: string) => Effect.succeed({ outcome, body: "" })

const probe = Effect.gen(function* () {
  const startedMs = yield* Clock.currentTimeMillis
  probingSinceMs = startedMs
  const { outcome } = yield* sendRequest({ agent: false, method: "GET", path: "/livez", timeoutMs: PROBE_TIMEOUT_MS })
  const tookMs = (yield* Clock.currentTimeMillis) - startedMs
  probingSinceMs = undefined
  tally.probes++
  if (outcome !== "200") tally.failedProbes++
  tally.longestStallMs = Math.max(tally.longestStallMs, tookMs)
  yield* Effect.sleep(PROBE_EVERY_MS)
})

interface RenewalOptions {
  readonly namespace: string
  readonly name: string
  readonly token: string
  readonly everyMs: number
  readonly timeoutMs: number
  readonly onRenewed: () => void
}

/** Creates a Lease, then renews it until interrupted, on its own connection. */
const renewLease = Effect.fnUntraced(function* ({
  everyMs,
  name,
  namespace,
  onRenewed,
  timeoutMs,
  token
}: RenewalOptions) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca })
  const collection = `${LEASES}/${namespace}/leases`
  const newLease = {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name, namespace },
    spec: { holderIdentity: name, leaseDurationSeconds: 40 }
  }
  let lease: typeof newLease | undefined
  while (true) {
    const startedMs = yield* Clock.currentTimeMillis
    const spec = { ...(lease ?? newLease).spec, renewTime: formatMicroTime(startedMs) }
    const body = JSON.stringify({ ...(lease ?? newLease), spec })
    const target =
      lease === undefined ? { method: "POST", path: collection } : { method: "PUT", path: `${collection}/${name}` }
    const answer = yield* sendRequest({ ...target, agent, token, body, timeoutMs })
    const tookMs = (yield* Clock.currentTimeMillis) - startedMs
    if (answer.outcome === "200" || answer.outcome === "201") {
      lease = JSON.parse(answer.body) as typeof newLease
      onRenewed()
      tally.slowestRenewalMs = Math.max(tally.slowestRenewalMs, tookMs)
    } else tally.lost[answer.outcome] = (tally.lost[answer.outcome] ?? 0) + 1
    yield* Effect.sleep(Math.max(0, everyMs - tookMs))
  }
})

const renewNodeLease = (token: string, index: number) =>
  Effect.sleep((index * RENEW_EVERY_MS) / nodeTokens.length).pipe(
    Effect.andThen(
      renewLease({
        namespace: "kube-node-lease",
        name: `node-${index}`,
        token,
        everyMs: RENEW_EVERY_MS,
        timeoutMs: RENEW_TIMEOUT_MS,
        onRenewed: () => tally.renewals++
      })
    )
  )

const renewLeaderLease = renewLease({
  namespace: "kube-system",
  name: "kube-controller-manager",
  token: leaderToken,
  everyMs: LEADER_EVERY_MS,
  timeoutMs: LEADER_TIMEOUT_MS,
  onRenewed: () => tally.leaderRenewals++
})

/**
 * Answers each message of the parent process with the observation since the previous message. A pending probe counts as
 * a stall.
 */
const reportObservations = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  process.on("message", () => {
    const pendingMs = probingSinceMs === undefined ? 0 : clock.currentTimeMillisUnsafe() - probingSinceMs
    const observation: Observation = { ...tally, longestStallMs: Math.max(tally.longestStallMs, pendingMs) }
    tally = emptyTally()
    process.send?.(observation)
  })
  process.on("disconnect", () => process.exit(0))
})

NodeRuntime.runMain(
  Effect.all([reportObservations, Effect.forever(probe), renewLeaderLease, ...nodeTokens.map(renewNodeLease)], {
    concurrency: "unbounded",
    discard: true
  })
)

import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import { processorSeconds, residentMiB } from "../process/processMemory.ts"
import type { Attack, Outcome } from "./Attack.ts"
import { CONTAINER, type KubeletTarget, POD } from "./KubeletTarget.ts"
import { type Open, openTls } from "./wire/sockets.ts"

/** By how much the memory of a kubelet may grow under attack. */
const MOST_GROWTH_MIB = 200
/** Both have every right: one attacks, the other must be answered meanwhile. */
export const ATTACKER = "token-operator"
const OTHER = "token-guard"

export const EXEC = `/exec/default/${POD}/${CONTAINER}?command=sh&stdin=true&stdout=true&stderr=true`
export const LOGS = `/containerLogs/default/${POD}/${CONTAINER}`

/** The head of a request without the empty line at its end. */
export const head = (
  token: string | undefined,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {}
) =>
  [
    `${method} ${path} HTTP/1.1`,
    "Host: attacked",
    ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ""
  ].join("\r\n")

export const webSocket = {
  Connection: "Upgrade",
  Upgrade: "websocket",
  "Sec-WebSocket-Version": "13",
  "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
  "Sec-WebSocket-Protocol": "v5.channel.k8s.io"
}
export const spdy = { Connection: "Upgrade", Upgrade: "SPDY/3.1", "X-Stream-Protocol-Version": "v4.channel.k8s.io" }

export const open = ({ port }: KubeletTarget) => openTls({ ca: "", port }, "http/1.1", { rejectUnauthorized: false })

export const openMany = (kubelet: KubeletTarget, count: number, text: string) =>
  Effect.forEach(
    Array.from({ length: Math.ceil(count) }),
    () => Effect.tap(open(kubelet), (one) => Effect.sync(() => one?.socket.write(text))),
    { concurrency: 16 }
  )

export const closedOf = (all: ReadonlyArray<Open<unknown> | undefined>): number =>
  all.filter((one) => one === undefined || one.isClosed()).length

/** What the other caller is answered: plain requests, and a command in a container. */
const others = (kubelet: KubeletTarget) =>
  Effect.gen(function* () {
    const asked: Array<readonly [string, number, number]> = [
      ["/pods", yield* kubelet.ask(OTHER, { method: "GET", path: "/pods" }), 200],
      ["exec", yield* kubelet.ask(OTHER, { method: "GET", path: EXEC, headers: webSocket }), 101]
    ]
    return asked.filter(([, code, expected]) => code !== expected).map(([what, code]) => `the other's ${what}: ${code}`)
  })

interface Health {
  slowestMs: number
  unanswered: number
}

const HEALTH_MS = 200

/** Asks for the health of the kubelet as another caller, until it is interrupted. */
const watchHealth = (kubelet: KubeletTarget, health: Health) =>
  Effect.gen(function* () {
    const startMs = yield* Clock.currentTimeMillis
    const code = yield* kubelet.ask(OTHER, { method: "GET", path: "/healthz" })
    const tookMs = (yield* Clock.currentTimeMillis) - startMs
    health.slowestMs = Math.max(health.slowestMs, tookMs)
    if (code !== 200) health.unanswered++
    yield* Effect.sleep(HEALTH_MS)
  }).pipe(Effect.forever)

/** Attacks the kubelet, and says what it did not withstand. */
export const attack = (
  name: string,
  about: string,
  run: (kubelet: KubeletTarget, scale: number) => Effect.Effect<Outcome, never, Scope.Scope>
): Attack => ({
  name: `kubelet/${name}`,
  about,
  run: (target, scale) =>
    Effect.gen(function* () {
      const kubelet = yield* target.kubelet
      const { pid } = kubelet.program
      const startMiB = residentMiB(pid)
      const startSeconds = processorSeconds(pid)
      const health: Health = { slowestMs: 0, unanswered: 0 }
      const watcher = yield* Effect.forkChild(watchHealth(kubelet, health))
      const { finding, holds } = yield* run(kubelet, scale).pipe(
        Effect.flatMap((outcome) => Effect.map(others(kubelet), (unanswered) => ({ outcome, unanswered }))),
        Effect.map(({ outcome, unanswered }) => ({
          finding: [outcome.finding, ...unanswered].join(", "),
          holds: outcome.holds && unanswered.length === 0
        })),
        Effect.scoped
      )
      yield* Fiber.interrupt(watcher)
      const used = processorSeconds(pid) - startSeconds
      const slowest = `/healthz in at most ${health.slowestMs.toFixed(0)} ms, ${health.unanswered} unanswered`
      const grownMiB = Math.round(residentMiB(pid) - startMiB)
      const ended = kubelet.program.hasEnded() ? ", the kubelet ended" : ""
      return {
        finding: `${finding}; ${slowest}; memory +${grownMiB} MiB, processor ${used.toFixed(1)} s${ended}`,
        holds: holds && ended === "" && health.unanswered === 0 && grownMiB < MOST_GROWTH_MIB
      }
    })
})

import { assert, describe, it } from "@effect/vitest"
import { ApiServer } from "@rollcall/api-server"
import { type ClusterShape, fromConnection, type WatchEvent } from "@rollcall/cluster"
import { layerEtcd } from "@rollcall/store-etcd"
import { noEtcd, startEtcd } from "@rollcall/store-etcd/testing"
import { layerWallClock } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"

const ADMIN = { user: "admin", groups: ["system:masters"], userAgent: "test" }
const COUNTER = { name: "counter", namespace: "default" }

/** What a client did: from when to when, and the count that it saw or wrote. */
interface Done {
  readonly did: "read" | "wrote"
  readonly beganMs: number
  readonly endedMs: number
  readonly count: number
}

const startServer = (url: string) =>
  Effect.gen(function* () {
    const store = layerEtcd({ endpoints: [url], root: "/registry", prefix: "/registry", timeoutMs: 3000 })
    const built = yield* Layer.build(ApiServer.layer().pipe(Layer.provide(store), Layer.provide(layerWallClock())))
    const server = Context.get(built, ApiServer)
    const connection = server.connect(ADMIN)
    return { cluster: fromConnection(connection), connection }
  })

const countOf = (object: { readonly data?: Readonly<Record<string, string>> }): number => Number(object.data?.count)

/** Adds one to the counter until it is stopped, through one server after the other, and records what is acknowledged. */
const increment = (servers: ReadonlyArray<ClusterShape>, history: Array<Done>, isOver: () => boolean) =>
  Effect.gen(function* () {
    for (let turn = 0; !isOver(); turn++) {
      const cluster = servers[turn % servers.length] as ClusterShape
      const attempt = Effect.gen(function* () {
        const beganMs = performance.now()
        const read = yield* cluster.get("ConfigMap", COUNTER)
        const readMs = performance.now()
        history.push({ did: "read", beganMs, endedMs: readMs, count: countOf(read) })
        const count = countOf(read) + 1
        yield* cluster.update("ConfigMap", { ...read, data: { count: String(count) } })
        history.push({ did: "wrote", beganMs: readMs, endedMs: performance.now(), count })
      })
      // A conflict, or an etcd that is gone.
      yield* Effect.ignore(attempt)
      yield* Effect.sleep(1)
    }
  })

/** Returns what is wrong with the history of a counter: every answer must show all that was acknowledged before it began. */
const faultsOf = (history: ReadonlyArray<Done>): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const written = history.filter(({ did }) => did === "wrote").sort((a, b) => a.endedMs - b.endedMs)
  const counts = written.map(({ count }) => count)
  if (new Set(counts).size !== counts.length) faults.push("two writes of the same count are acknowledged")
  for (const { beganMs, count, did } of history) {
    let newest = 0
    for (const write of written) {
      if (write.endedMs >= beganMs) break
      newest = Math.max(newest, write.count)
    }
    if (did === "read" ? count < newest : count <= newest)
      faults.push(`${did} ${count} after ${newest} was acknowledged`)
  }
  return faults
}

describe("the check of a counter's history", () => {
  const at = (did: Done["did"], count: number, beganMs: number): Done => ({ did, count, beganMs, endedMs: beganMs + 5 })

  it("accepts what could have happened one after the other", () => {
    assert.deepStrictEqual(faultsOf([at("wrote", 1, 0), at("read", 0, 2), at("read", 1, 3), at("wrote", 2, 10)]), [])
  })

  it("finds stale reads, lost writes and writes twice", () => {
    assert.deepStrictEqual(faultsOf([at("wrote", 1, 0), at("read", 0, 10)]), ["read 0 after 1 was acknowledged"])
    assert.deepStrictEqual(faultsOf([at("wrote", 2, 0), at("wrote", 1, 10)]), ["wrote 1 after 2 was acknowledged"])
    assert.include(faultsOf([at("wrote", 1, 0), at("wrote", 1, 2)]).join(), "two writes of the same count")
  })
})

describe.skipIf(noEtcd !== undefined)("two API servers over one etcd that is killed", () => {
  it.live(
    "lose no acknowledged write, show it at once, and deliver each change once to each watch",
    () =>
      Effect.gen(function* () {
        const etcd = yield* startEtcd()
        const servers = yield* Effect.all([startServer(etcd.url), startServer(etcd.url)], { concurrency: 2 })
        const clusters = servers.map(({ cluster }) => cluster)
        const [first] = clusters as [ClusterShape]
        const created = yield* first.create("ConfigMap", {
          kind: "ConfigMap",
          apiVersion: "v1",
          metadata: COUNTER,
          data: { count: "0" }
        })
        const seen = servers.map(({ connection }) => {
          const counts: Array<number> = []
          const take = ({ object }: WatchEvent) => counts.push(countOf(object as Parameters<typeof countOf>[0]))
          const { resourceVersion = "" } = created.metadata
          const request = {
            verb: "watch",
            kind: "ConfigMap",
            namespace: "default",
            fieldSelector: "metadata.name=counter",
            resourceVersion
          } as const
          connection.watch(request, { events: (batch) => batch.forEach(take), end: () => counts.push(Number.NaN) })
          return counts
        })
        const history: Array<Done> = []
        let isOver = false
        const clients = yield* Effect.forEach([1, 2, 3, 4], () =>
          Effect.forkChild(increment(clusters, history, () => isOver))
        )
        const acknowledgements = () => history.filter(({ did }) => did === "wrote").length
        /** Waits for more acknowledged writes. */
        const more = (count: number) => {
          const until = acknowledgements() + count
          return Effect.repeat(Effect.sleep(20), { while: () => acknowledgements() < until })
        }
        for (let kill = 0; kill < 3; kill++) {
          yield* more(10)
          yield* etcd.kill
          yield* Effect.sleep(200)
          yield* etcd.start
        }
        yield* more(10)
        isOver = true
        yield* Effect.forEach(clients, Fiber.join)

        const final = yield* first.get("ConfigMap", COUNTER)
        const acknowledged = history.filter(({ did }) => did === "wrote")
        assert.deepStrictEqual(faultsOf(history), [])
        assert.isAtLeast(countOf(final), Math.max(...acknowledged.map(({ count }) => count)))
        const all = Array.from({ length: countOf(final) }, (_, at) => at + 1)
        for (const counts of seen) {
          yield* Effect.repeat(Effect.sleep(20), { while: () => counts.length < all.length })
          assert.deepStrictEqual(counts, all)
        }
      }),
    90_000
  )
})

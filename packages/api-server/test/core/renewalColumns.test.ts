import { formatMicroTime, type KubeObject, type Lease } from "@rollcall/api"
import type { Connection, HeartbeatOwner, HeartbeatStay } from "@rollcall/cluster"
import { layerMemory } from "@rollcall/store"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { makeTestServer, START_MS, type TestServer, type WatchLog } from "./testServer.ts"

const NAMESPACE = "kube-node-lease"
const NODES = ["a", "b", "c"] as const
const INTERVAL_MS = 10_000
/** Shorter than the random histories, so that these lose their oldest revisions. */
const HISTORY = 40

/** A client that renews a Lease as a kubelet does, by columns or by itself. */
class Renewer {
  private readonly connection: Connection
  private readonly server: TestServer
  private readonly name: string
  private lease: Lease
  private stay: HeartbeatStay | undefined
  /** How often the columns took its renewals over. */
  entered = 0

  constructor(server: TestServer, name: string, phaseMs: number) {
    this.server = server
    this.name = name
    const user = { user: `system:node:${name}`, groups: ["system:nodes"], userAgent: "kubelet" }
    this.connection = server.server.connect(user)
    this.lease = server.create("Lease", {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name, namespace: NAMESPACE },
      spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: formatMicroTime(START_MS) }
    })
    server.time.timers.after(phaseMs, () => this.renew())
  }

  leave(): void {
    this.stay?.leave()
  }

  private renew(): void {
    const { timers } = this.server.time
    const { apiVersion, kind, metadata, spec } = this.lease
    const object = { apiVersion, kind, metadata, spec: { ...spec, renewTime: formatMicroTime(timers.now()) } }
    const request = { verb: "update", kind: "Lease", namespace: NAMESPACE, name: this.name, object } as const
    this.connection.send(request, (answer) => {
      if (Result.isSuccess(answer)) this.lease = answer.success as Lease
      else this.read()
      this.stay = Result.isSuccess(answer) ? this.enter() : undefined
      if (this.stay === undefined) timers.after(INTERVAL_MS, () => this.renew())
      else this.entered++
    })
  }

  /** Reads the Lease after another client has written it. */
  private read(): void {
    this.connection.send({ verb: "get", kind: "Lease", namespace: NAMESPACE, name: this.name }, (answer) => {
      if (Result.isSuccess(answer)) this.lease = answer.success as Lease
    })
  }

  private enter(): HeartbeatStay | undefined {
    const owner: HeartbeatOwner = {
      name: this.name,
      object: this.lease,
      made: (lease) => {
        this.lease = lease as Lease
      },
      left: () => {},
      fire: () => this.renew()
    }
    return this.connection.heartbeats?.enterRenewals(owner, { intervalMs: INTERVAL_MS, jitterMs: 0, seed: 1 })
  }
}

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ act: fc.constant("wait"), ms: fc.integer({ min: 1, max: 40_000 }) }) },
  fc.record({
    act: fc.constantFrom("get", "label", "delete", "leave", "pod"),
    node: fc.constantFrom(...NODES)
  }),
  fc.record({ act: fc.constantFrom("list", "watch", "watchOne"), back: fc.integer({ min: 0, max: 60 }) }),
  fc.record({ act: fc.constantFrom("page", "stop", "compact") })
)
type Step = typeof step extends fc.Arbitrary<infer A> ? A : never

interface Played {
  readonly seen: ReadonlyArray<unknown>
  readonly entered: number
}

/** Answers of one kind of request, refusals included. */
const answerOf = (act: () => unknown): unknown => {
  try {
    return act()
  } catch (error) {
    return String(error)
  }
}

const play = (steps: ReadonlyArray<Step>, renewalColumns: boolean): Played => {
  const server = makeTestServer({ renewalColumns, store: layerMemory({ historyRevisions: HISTORY }) })
  const renewers = new Map(NODES.map((name, index) => [name, new Renewer(server, name, 1000 * (index + 1))]))
  const watches: Array<WatchLog> = []
  const seen: Array<unknown> = []
  let token = ""
  const past = (back: number) => String(Math.max(1, server.server.revision() - back))
  const at = { kind: "Lease", namespace: NAMESPACE } as const
  const doOne = (one: Step): unknown => {
    if ("ms" in one) return server.advance(one.ms)
    if ("node" in one) {
      const { node: name } = one
      if (one.act === "get") return server.get("Lease", name, NAMESPACE)
      if (one.act === "leave") return renewers.get(name)?.leave()
      if (one.act === "delete") return server.ask({ verb: "delete", ...at, name })
      if (one.act === "pod")
        return server.create("ConfigMap", { metadata: { namespace: "default", name: `c-${seen.length}` } })
      const body = { metadata: { labels: { step: String(seen.length) } } }
      return server.ask({ verb: "patch", ...at, name, patchType: "merge", body })
    }
    if ("back" in one) {
      const resourceVersion = past(one.back)
      if (one.act === "list") return server.list("Lease", { resourceVersion, resourceVersionMatch: "Exact", limit: 2 })
      const selected = one.act === "watchOne" ? { fieldSelector: "metadata.name=b" } : {}
      watches.push(server.watch("Lease", { resourceVersion, namespace: NAMESPACE, ...selected }))
      return undefined
    }
    if (one.act === "stop") return watches.at(-1)?.cancel()
    if (one.act === "compact") return server.time.run(server.server.compact)
    const page = server.list("Lease", { limit: 1, ...(token === "" ? {} : { continue: token }) })
    token = page.metadata.continue ?? ""
    return page
  }
  for (const one of steps) seen.push(answerOf(() => doOne(one)))
  server.advance(25_000)
  seen.push(server.list("Lease"), server.server.revision())
  seen.push(watches.map(({ ends, events }) => [events, ends.map(String)]))
  return { seen, entered: [...renewers.values()].reduce((sum, { entered }) => sum + entered, 0) }
}

describe("renewals in columns", () => {
  it("are seen by each request and each watch as if every Lease had been written", { timeout: 60_000 }, () => {
    let entered = 0
    fc.assert(
      fc.property(fc.array(step, { minLength: 5, maxLength: 40, size: "max" }), (steps) => {
        const columns = play(steps, true)
        const eager = play(steps, false)
        assert.strictEqual(eager.entered, 0)
        assert.deepStrictEqual(columns.seen, eager.seen)
        entered += columns.entered
      }),
      { numRuns: 60 }
    )
    assert.isAbove(entered, 100)
  })

  it("make a Lease only when somebody reads it, and take its revision when it is renewed", () => {
    const server = makeTestServer({ renewalColumns: true })
    const renewers = NODES.map((name, index) => new Renewer(server, name, 1000 * (index + 1)))
    server.advance(INTERVAL_MS * 2)
    const { cache } = server.server.registry.kinds.Lease
    const objectsOf = (): ReadonlyArray<KubeObject> =>
      NODES.map((name) => server.get("Lease", name, NAMESPACE) as Lease)
    const before = objectsOf()
    const { late } = cache
    cache.late = undefined
    const revision = server.server.revision()
    server.advance(INTERVAL_MS * 5)
    assert.deepStrictEqual(objectsOf(), before, "the cache still has the objects of the last read")
    cache.late = late
    assert.strictEqual(server.server.revision(), revision + 15)
    assert.deepStrictEqual(
      objectsOf().map(({ metadata }) => Number(metadata.resourceVersion)),
      [revision + 13, revision + 14, revision + 15]
    )
    assert.isTrue(renewers.every((renewer) => renewer.entered === 1))
  })
})

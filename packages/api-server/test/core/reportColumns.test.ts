import { formatTime, type KubeObject, type Node } from "@rollcall/api"
import {
  type Connection,
  type HeartbeatStay,
  ignoresHeartbeats,
  makeInformer,
  type ReportOwner,
  withHeartbeatTimes
} from "@rollcall/cluster"
import { layerMemory } from "@rollcall/store"
import { rngOf } from "@rollcall/time"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { makeTestServer, START_MS, type TestServer, type WatchLog } from "./testServer.ts"

const NODES = ["a", "b", "c"] as const
const PERIOD_MS = 20_000
/** The conditions that a report sets; another component sets the one between. */
const CONDITIONS = [0, 2]
/** Shorter than the random histories, so that these lose their oldest revisions. */
const HISTORY = 40

const nodeOf = (name: string) => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name },
  status: {
    conditions: ["MemoryPressure", "NetworkUnavailable", "Ready"].map((type) => ({
      type,
      status: type === "Ready" ? "True" : "False",
      lastHeartbeatTime: formatTime(START_MS)
    }))
  }
})

/** A client that posts an unchanged status as a kubelet does: by columns, or by itself with a PATCH. */
class Poster {
  private readonly connection: Connection
  private readonly server: TestServer
  private readonly name: string
  private stay: HeartbeatStay | undefined
  /** How often the columns took its reports over. */
  entered = 0

  constructor(server: TestServer, name: string, phaseMs: number) {
    this.server = server
    this.name = name
    const user = { user: `system:node:${name}`, groups: ["system:nodes"], userAgent: "kubelet" }
    this.connection = server.server.connect(user)
    server.create("Node", nodeOf(name))
    server.time.timers.after(phaseMs, () => this.post())
  }

  leave(): void {
    this.stay?.leave()
  }

  private post(): void {
    const { server } = this
    const { timers } = server.time
    const { heartbeats } = this.connection
    const node = server.get("Node", this.name)
    const next = node && withHeartbeatTimes(node, CONDITIONS, formatTime(timers.now()))
    if (next === undefined) return
    let posted: Node | undefined
    if (heartbeats !== undefined) posted = heartbeats.postHeartbeats(node as Node, next)
    else this.patch(next)
    const owner = posted && this.ownerOf(posted)
    this.stay = owner && heartbeats?.enterReports(owner)
    if (this.stay === undefined) timers.after(PERIOD_MS, () => this.post())
    else this.entered++
  }

  private patch({ status }: Node): void {
    const conditions = status?.conditions?.map(({ lastHeartbeatTime, type }) => ({ type, lastHeartbeatTime }))
    const target = { verb: "patch", kind: "Node", name: this.name, subresource: "status" } as const
    this.server.ask({ ...target, patchType: "strategic", body: { status: { conditions } } })
  }

  private ownerOf(node: Node): ReportOwner {
    const lastMs = this.server.time.timers.now()
    return {
      name: this.name,
      object: node,
      conditions: CONDITIONS,
      lastMs,
      seed: 1,
      first: { atMs: lastMs + PERIOD_MS, seed: 1 },
      next: (timeMs, seed) => ({ atMs: timeMs + PERIOD_MS, seed }),
      made: () => {},
      left: () => {},
      fire: () => this.post()
    }
  }
}

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ act: fc.constant("wait"), ms: fc.integer({ min: 1, max: 200_000 }) }) },
  fc.record({ act: fc.constantFrom("get", "find", "label", "leave", "delete"), node: fc.constantFrom(...NODES) }),
  fc.record({ act: fc.constantFrom("list", "watch", "watchOne"), back: fc.integer({ min: 0, max: 60 }) }),
  fc.record({ act: fc.constantFrom("cached", "own", "stop", "compact") })
)
type Step = typeof step extends fc.Arbitrary<infer A> ? A : never

const answerOf = (act: () => unknown): unknown => {
  try {
    return act()
  } catch (error) {
    return String(error)
  }
}

const play = (steps: ReadonlyArray<Step>, renewalColumns: boolean) => {
  const server = makeTestServer({ renewalColumns, store: layerMemory({ historyRevisions: HISTORY }) })
  const { timers } = server.time
  const posters = new Map(NODES.map((name, index) => [name, new Poster(server, name, 3000 * (index + 1))]))
  const heard: Array<unknown> = []
  const hear = ({ metadata }: KubeObject) => heard.push([metadata.name, metadata.labels])
  const handler = { ...ignoresHeartbeats, onAdd: hear, onDelete: hear }
  const informer = makeInformer(server.connection, timers, rngOf(1), "Node", { handlers: [handler] })
  const own = makeInformer(server.connection, timers, rngOf(2), "Node", {
    fieldSelector: "metadata.name=b",
    handlers: [handler]
  })
  informer.start()
  own.start()
  server.settle()
  const watches: Array<WatchLog> = []
  const doOne = (one: Step): unknown => {
    if ("ms" in one) return server.advance(one.ms)
    if ("node" in one) {
      if (one.act === "get") return server.get("Node", one.node)
      if (one.act === "find") return informer.find(one.node)
      if (one.act === "leave") return posters.get(one.node)?.leave()
      if (one.act === "delete") return server.ask({ verb: "delete", kind: "Node", name: one.node })
      const body = { metadata: { labels: { step: String(server.server.revision()) } } }
      return server.ask({ verb: "patch", kind: "Node", name: one.node, patchType: "merge", body })
    }
    if ("back" in one) {
      const resourceVersion = String(Math.max(1, server.server.revision() - one.back))
      if (one.act === "list") return server.list("Node", { resourceVersion, resourceVersionMatch: "Exact" })
      const selected = one.act === "watchOne" ? { fieldSelector: "metadata.name=b" } : {}
      watches.push(server.watch("Node", { resourceVersion, ...selected }))
      return undefined
    }
    if (one.act === "cached") return [informer.list(), informer.lastResourceVersion()]
    if (one.act === "own") return [own.list(), own.lastResourceVersion()]
    if (one.act === "compact") return server.time.run(server.server.compact)
    return watches.pop()?.cancel()
  }
  const seen = steps.map((one) => answerOf(() => doOne(one)))
  server.advance(PERIOD_MS + 1000)
  seen.push(informer.list(), own.lastResourceVersion(), server.list("Node"), server.server.revision(), heard)
  seen.push(watches.map(({ ends, events }) => [events, ends.map(String)]))
  return { seen, entered: [...posters.values()].reduce((sum, { entered }) => sum + entered, 0) }
}

describe("unchanged statuses in columns", () => {
  it("are seen by each request, watch and cache as if every Node had been written", { timeout: 60_000 }, () => {
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
})

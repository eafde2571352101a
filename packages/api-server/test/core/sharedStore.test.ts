import { assert, describe, it } from "@effect/vitest"
import type { KubeObject } from "@rollcall/api"
import { type Answer, ApiError } from "@rollcall/cluster"
import { type Revision, StoreFailure, type StoreShape } from "@rollcall/store"
import type { Timers } from "@rollcall/time"
import * as Result from "effect/Result"
import { startSharingServers } from "./sharingServers.ts"
import { eventLines, node } from "./testServer.ts"

/** How long a change takes to reach a server, and a question the store. */
const WATCH_MS = 500
const ASK_MS = 2

/** A store on the network, that other servers write to: changes arrive late, and its newest revision must be asked for. */
const onNetwork = (store: StoreShape, timers: Timers["Service"]): StoreShape & { asked: number } => {
  let known: Revision = store.revision()
  const remote = {
    ...store,
    asked: 0,
    revision: () => known,
    current: (reply: (result: Result.Result<Revision, StoreFailure>) => void) => {
      remote.asked++
      timers.after(ASK_MS, () => {
        known = store.revision()
        reply(Result.succeed(known))
      })
    },
    write: (...[batch, reply]: Parameters<StoreShape["write"]>) =>
      void timers.after(ASK_MS, () =>
        store.write(batch, (result, texts) => {
          known = store.revision()
          reply(result, texts)
        })
      ),
    watch: (...[prefix, from, sink]: Parameters<StoreShape["watch"]>) =>
      store.watch(prefix, from, {
        ...sink,
        changes: (batch) => void timers.after(WATCH_MS, () => sink.changes(batch))
      })
  }
  return remote
}

const startTwo = () => {
  const stores: Array<ReturnType<typeof onNetwork>> = []
  const { servers, time } = startSharingServers(2, (store, timers) => {
    const remote = onNetwork(store, timers)
    stores.push(remote)
    return remote
  })
  const [left, right] = servers
  const [, asked] = stores
  if (left === undefined || right === undefined || asked === undefined) throw new Error("two servers start")
  return { left, right, time, asked }
}

const nodeRequest = { kind: "Node", name: "a" } as const

describe("servers of one store on the network", () => {
  it("show what another has acknowledged, to reads that name no revision", () => {
    const { left, right } = startTwo()
    left.create("Node", node("a"))
    assert.strictEqual(right.get("Node", "a")?.metadata.name, "a")
    left.create("Node", node("b"))
    assert.deepStrictEqual(
      right.list("Node").items.map(({ metadata }) => metadata.name),
      ["a", "b"]
    )
    left.create("Node", node("c"))
    const cached = right.list("Node", { resourceVersion: "0" }).items
    assert.strictEqual(cached.length, 2)
  })

  it("start a watch that names no revision with what another has acknowledged", () => {
    const { left, right } = startTwo()
    left.create("Node", node("a"))
    const log = right.watch("Node", { sendInitialEvents: true })
    right.advance(WATCH_MS * 2)
    assert.strictEqual(eventLines(log)[0], "ADDED a")
  })

  it("write what another has just created, and refuse what it has just deleted", () => {
    const { left, right } = startTwo()
    left.create("Node", node("a"))
    const body = { metadata: { labels: { a: "1" } } }
    right.ask({ verb: "patch", ...nodeRequest, patchType: "merge", body })
    assert.deepStrictEqual(left.get("Node", "a")?.metadata.labels, { a: "1" })
    right.ask({ verb: "delete", ...nodeRequest })
    assert.strictEqual(left.refusalOf({ verb: "get", ...nodeRequest }).code, 404)
    assert.strictEqual(left.refusalOf({ verb: "patch", ...nodeRequest, patchType: "merge", body }).code, 404)
  })

  it("ask the store once for all requests that wait", () => {
    const { asked, right } = startTwo()
    const before = asked.asked
    const answers: Array<Answer> = []
    for (let at = 0; at < 50; at++) {
      right.connection.send({ verb: "list", kind: "Node" }, (answer) => answers.push(answer))
    }
    right.advance(100)
    assert.deepStrictEqual([answers.length, asked.asked - before], [50, 2])
  })

  it("refuse all that waits when the store does not answer", () => {
    const message = "etcd did not answer within 10s"
    const { servers } = startSharingServers(1, (store, timers) => ({
      ...store,
      current: (reply) => void timers.after(50, () => reply(Result.fail(new StoreFailure({ message }))))
    }))
    const [server] = servers
    if (server === undefined) throw new Error("a server starts")
    const answers: Array<Answer> = []
    for (let at = 0; at < 3; at++) server.connection.send({ verb: "list", kind: "Node" }, (one) => answers.push(one))
    server.advance(60)
    assert.deepStrictEqual(
      answers.map((answer) => Result.isFailure(answer) && answer.failure instanceof ApiError && answer.failure.message),
      Array.from({ length: 3 }, () => `Internal error occurred: ${message}`)
    )
  })

  it("make the objects of every cluster once, also if both start at the same time", () => {
    const { servers, start } = startSharingServers(1)
    const [first] = servers
    const uidOf = () => (first?.get("Namespace", "default") as KubeObject | undefined)?.metadata.uid
    const uid = uidOf()
    // The second one has read the store before the first one wrote.
    const second = start((store) => ({
      ...store,
      range: (_prefix, _options, reply) => reply(Result.succeed({ entries: [], revision: 0, remaining: 0 }))
    }))
    assert.isString(uid)
    assert.strictEqual(uidOf(), uid)
    assert.strictEqual(second.get("Namespace", "default")?.metadata.uid, uid)
  })
})

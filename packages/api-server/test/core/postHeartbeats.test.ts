import { formatTime, type Node } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { makeTestServer, START_MS } from "./testServer.ts"

const user = { user: "system:node:a", groups: ["system:nodes"], userAgent: "kubelet" }

const node = {
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "a" },
  status: {
    conditions: [
      { type: "MemoryPressure", status: "False", lastHeartbeatTime: formatTime(START_MS) },
      { type: "Ready", status: "True", lastHeartbeatTime: formatTime(START_MS) }
    ]
  }
}

const setUp = (renewalColumns: boolean) => {
  const server = makeTestServer({ renewalColumns })
  server.create("Node", node)
  const connection = server.server.connect(user)
  const log = server.watch("Node", { resourceVersion: String(server.server.revision()) })
  const stored = () => server.get("Node", "a") as Node
  const next = (lastHeartbeatTime: string): Node => ({
    ...stored(),
    status: {
      ...stored().status,
      conditions: stored().status?.conditions?.map((condition) => ({ ...condition, lastHeartbeatTime })) ?? []
    }
  })
  return { connection, log, next, server, stored }
}

describe("heartbeats of an unchanged status", () => {
  it("are stored and told as a PATCH of the status would be", () => {
    const [posting, patching] = [setUp(true), setUp(false)]
    const time = formatTime(START_MS + 300_000)
    const posted = posting.connection.heartbeats?.postHeartbeats(posting.stored(), posting.next(time))
    assert.isUndefined(patching.connection.heartbeats)
    const conditions = patching.next(time).status?.conditions?.map(({ lastHeartbeatTime, type }) => ({
      type,
      lastHeartbeatTime
    }))
    patching.server.ask({
      verb: "patch",
      kind: "Node",
      name: "a",
      subresource: "status",
      patchType: "strategic",
      body: { status: { conditions } }
    })
    for (const { server } of [posting, patching]) server.settle()
    assert.strictEqual(posted, posting.stored())
    assert.strictEqual(posted?.status?.conditions?.[1]?.lastHeartbeatTime, time)
    assert.deepStrictEqual(JSON.stringify(posting.log.events), JSON.stringify(patching.log.events))
    assert.lengthOf(posting.log.events, 1)
  })

  it("are refused for a Node that somebody else has written, and while somebody audits renewals", () => {
    const { connection, next, server, stored } = setUp(true)
    const before = stored()
    const body = { metadata: { labels: { zone: "b" } } }
    server.ask({ verb: "patch", kind: "Node", name: "a", patchType: "merge", body })
    const after = stored()
    const changed = next(formatTime(START_MS + 300_000))
    assert.isUndefined(connection.heartbeats?.postHeartbeats(before, changed))
    server.server.setAudit(() => {})
    assert.isUndefined(connection.heartbeats?.postHeartbeats(after, changed))
    assert.strictEqual(stored(), after)
    server.server.setAudit(undefined)
    assert.isDefined(connection.heartbeats?.postHeartbeats(after, changed))
  })
})

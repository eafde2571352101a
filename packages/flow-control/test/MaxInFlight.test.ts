import { assert, describe, it } from "vitest"
import { type FlowRequest, MaxInFlight } from "../src/index.ts"
import { laneOf } from "../src/MaxInFlight.ts"
import { infoOf } from "./infoOf.ts"

const question = (method: string, path: string, groups = ["system:authenticated"]): FlowRequest => ({
  info: infoOf(method, path),
  user: { user: "alice", groups },
  waitMs: 15_000,
  listLimit: undefined
})

const pods = "/api/v1/namespaces/default/pods"
const lease = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n"

describe("requests in flight", () => {
  it("are counted by lane, so that heartbeats pass when everything else waits", () => {
    assert.strictEqual(laneOf(question("GET", `${pods}/a`)), "readonly")
    assert.strictEqual(laneOf(question("PATCH", `${pods}/a`)), "mutating")
    assert.strictEqual(laneOf(question("PATCH", "/api/v1/nodes/n/status")), "heartbeats")
    assert.strictEqual(laneOf(question("PUT", lease)), "heartbeats")
    assert.strictEqual(laneOf(question("DELETE", `${pods}/a`, ["system:masters"])), "exempt")
    assert.strictEqual(laneOf(question("GET", "/version")), "exempt")
  })

  it("are counted in and out, once", () => {
    const inFlight = new MaxInFlight({ readonly: 1, mutating: 1, heartbeats: 1 })
    const enter = (asked: FlowRequest) => {
      let answer = "waits"
      const place = inFlight.enter(asked, {
        start: () => {
          answer = "started"
        },
        refuse: (_, seconds) => {
          answer = `again in ${seconds} s`
        }
      })
      return { answer, place }
    }
    const first = enter(question("GET", pods))
    assert.strictEqual(first.answer, "started")
    assert.strictEqual(enter(question("GET", pods)).answer, "again in 1 s")
    assert.strictEqual(enter(question("POST", pods)).answer, "started")
    first.place.leave()
    first.place.leave()
    assert.strictEqual(enter(question("GET", pods)).answer, "started")
    assert.strictEqual(enter(question("GET", pods)).answer, "again in 1 s")
    for (let times = 0; times < 9; times++) assert.strictEqual(enter(question("GET", "/version")).answer, "started")
  })
})

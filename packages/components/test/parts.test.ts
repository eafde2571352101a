import { assert, describe, it } from "@effect/vitest"
import type { ConfigMap } from "@rollcall/api"
import * as Result from "effect/Result"
import { parseTokens } from "../src/apiserver/tokenFile.ts"
import { endMsOf } from "../src/fleet/FaultReconciler.ts"
import { groupsOf, letterOf, membersOf, readFaults, readGroups } from "../src/fleet/FleetDocument.ts"
import { jsonLine, klogLine } from "../src/log/Klog.ts"

const configMap = (data: Record<string, string>): ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "rollcall-fleet", namespace: "kube-system" },
  data
})

describe("the groups of a fleet", () => {
  it("spreads nodes evenly over zones", () => {
    const groups = groupsOf({ nodes: 8, zones: 3 })
    assert.deepStrictEqual(
      groups.map(({ count, name, zone }) => [name, count, zone]),
      [
        ["a", 3, "zone-a"],
        ["b", 3, "zone-b"],
        ["c", 2, "zone-c"]
      ]
    )
    assert.strictEqual(groupsOf({ nodes: 2, zones: 5 }).length, 2)
    assert.deepStrictEqual([0, 25, 26, 27, 52].map(letterOf), ["a", "z", "aa", "ab", "ba"])
  })

  it("leave out removed members", () => {
    assert.deepStrictEqual(membersOf({ name: "a", count: 3, without: ["a-1"] }), ["a-0", "a-2"])
  })

  it("are read like faults, with the problems of invalid ones", () => {
    const { entries, problems } = readGroups(
      configMap({ a: '{"name":"a","count":2}', b: '{"name":"b","cuont":2}', c: "{" })
    )
    assert.deepStrictEqual([...entries.keys()], ["a"])
    assert.strictEqual(problems.length, 2)
    assert.include(problems[0], 'configmap/rollcall-fleet: data.b.cuont: unknown field; did you mean "count"?')
    assert.include(problems[1], "data.c: not JSON")
    const faults = readFaults(
      configMap({
        x: '{"fault":"partition","nodes":{},"at":"2026-01-01T00:00:00Z","for":"90s"}',
        y: "{}",
        z: '{"fault":"crash","nodes":{},"at":"noon"}'
      })
    )
    const fault = faults.entries.get("x")
    assert.isDefined(fault)
    if (fault !== undefined) assert.strictEqual(endMsOf(fault), Date.UTC(2026, 0, 1, 0, 1, 30))
    assert.include(faults.problems[0], "data.y.fault: is required")
    assert.include(faults.problems[1], 'data.z.at: found "noon", expected a time such as')
  })
})

describe("token files", () => {
  it("reads tokens with and without groups", () => {
    assert.deepStrictEqual(
      Result.getOrUndefined(parseTokens("t.csv", 'tok,ann,1,"dev,ops"\n\ntok2,bob,2\ntok3,eve,3,""\n')),
      [
        { token: "tok", user: "ann", uid: "1", groups: ["dev", "ops"] },
        { token: "tok2", user: "bob", uid: "2", groups: [] },
        { token: "tok3", user: "eve", uid: "3", groups: [""] }
      ]
    )
  })

  for (const text of ["tok", "tok,ann", ",ann,1", 'tok,"ann,1']) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      const parsed = parseTokens("t.csv", `good,user,uid\n${text}`)
      assert.include(Result.isFailure(parsed) ? parsed.failure.message : "", "t.csv: line 2: expected token,user,uid")
    })
  }
})

describe("logs", () => {
  const date = new Date(Date.UTC(2026, 10, 21, 4, 5, 6, 789))
  it("writes klog's text and JSON", () => {
    assert.strictEqual(
      klogLine(date, "Warn", "A thing", { n: 1, s: 'a "b"' }),
      'W1121 04:05:06.789000 "A thing" n=1 s="a \\"b\\""'
    )
    assert.deepStrictEqual(JSON.parse(jsonLine(date, "Info", "m", { k: true })), {
      ts: date.getTime(),
      level: "info",
      msg: "m",
      k: true
    })
  })
})

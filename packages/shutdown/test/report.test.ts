import { releases } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { renderShutdownJson, renderShutdownTable, reportShutdown } from "../src/report/index.ts"
import { podOf, twoPeriods } from "./startTestManager.ts"

const release = releases["1.36"]

describe("the report of a shutdown", () => {
  it("has a table: phases, grace periods, and findings", () => {
    const report = reportShutdown(twoPeriods(30, 10), {
      release,
      inhibitDelaySeconds: 5,
      node: "n1",
      pods: [podOf({ name: "web", priority: 0, grace: 60 }), podOf({ name: "dns", priority: 2_000_000_000, grace: 5 })]
    })
    const table = renderShutdownTable(report)
    assert.include(table, "A shutdown of node n1 (Kubernetes 1.36) takes at most 30s for its 2 pods.")
    assert.match(table, /^ {2}0s +20s +below 2000000000 +20s +\S*web +20s of the 60s it wants$/m)
    assert.match(table, /^ {2}20s +30s +2000000000 and above +10s +\S*dns +5s$/m)
    assert.include(table, "(longer-than-shutdown)")
  })

  it("works without pods, and says when a shutdown is not graceful", () => {
    const table = renderShutdownTable(reportShutdown(twoPeriods(30, 10), { release, inhibitDelaySeconds: 30 }))
    assert.include(table, "A shutdown of the node (Kubernetes 1.36) takes at most 30s.")
    assert.match(table, /^ {2}0s +20s +below 2000000000 +20s$/m)
    assert.match(table, /^ {2}20s +30s +2000000000 and above +10s$/m)
    assert.include(
      renderShutdownTable(reportShutdown(twoPeriods(0, 0), { release, inhibitDelaySeconds: 5 })),
      "is not graceful: it does not wait for pods to terminate."
    )
  })

  it("has a JSON form", () => {
    const report = reportShutdown(twoPeriods(30, 10), {
      release,
      inhibitDelaySeconds: 30,
      pods: [podOf({ name: "web", priority: 0, grace: 60 })]
    })
    const { findings, kind, node, phases } = JSON.parse(renderShutdownJson(report))
    assert.deepStrictEqual([kind, node, phases.length], ["ShutdownPlan", undefined, 2])
    assert.deepInclude(phases[0].pods[0], { name: "web", graceSeconds: 20, cutShort: true })
    assert.deepStrictEqual(findings, report.findings)
  })
})

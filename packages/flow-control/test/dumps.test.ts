import { assert, describe, it } from "@effect/vitest"
import { dumpPriorityLevels, dumpQueues, dumpRequests } from "../src/dumps.ts"
import { levelOf, makeDispatcher, schemaOf } from "./makeDispatcher.ts"

const columnsOf = (page: string): ReadonlyArray<ReadonlyArray<string>> =>
  page
    .slice(0, -1)
    .split("\n")
    .map((line) => line.split(/, +/))

describe("the debug pages", () => {
  const simulated = makeDispatcher(
    4,
    [levelOf("low", 10, { queues: 1, handSize: 1, queueLengthLimit: 9 })],
    [schemaOf("low")]
  )
  for (let user = 0; user < simulated.level("low").currentLimit; user++) simulated.send("low", "a", 0, true)
  simulated.send("low", "b", 0)
  const { configuration } = simulated.dispatcher

  it("have a row for each level", () => {
    const row = columnsOf(dumpPriorityLevels(configuration)).find(([name]) => name === "low")
    const executing = String(simulated.level("low").currentLimit)
    assert.deepStrictEqual(row, ["low", "1", "false", "false", "1", executing, executing, "0", "0", "0"])
  })

  it("have a row for each queue", () => {
    const [head, ...rows] = columnsOf(dumpQueues(configuration))
    assert.deepStrictEqual(head?.slice(0, 5), [
      "PriorityLevelName",
      "Index",
      "PendingRequests",
      "ExecutingRequests",
      "SeatsInUse"
    ])
    const seats = String(simulated.level("low").currentLimit)
    assert.deepStrictEqual(
      rows.map((row) => row.slice(0, 5)),
      [["low", "0", "1", seats, seats]]
    )
    assert.strictEqual(rows[0]?.at(-1), "0.00300000ss")
  })

  it("have a row for each waiting request, with its attributes on request", () => {
    const [, row] = columnsOf(dumpRequests(configuration, false))
    assert.deepStrictEqual(row?.slice(0, 5), ["low", "low", "0", "0", "b"])
    const [head, detailed] = columnsOf(dumpRequests(configuration, true))
    assert.deepStrictEqual(head?.slice(10, 12), ["UserName", "Verb"])
    assert.deepStrictEqual(detailed?.slice(10), [
      "b",
      "get",
      "/api/v1/namespaces/default/pods/p",
      "default",
      "p",
      "v1",
      "pods",
      ""
    ])
  })
})

import { parseDocuments } from "@rollcall/input/documents"
import type { TraceEntry } from "@rollcall/simulator/result"
import { traceTypes } from "@rollcall/simulator/result"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { checkReported, renderJson, renderReported, renderTable } from "../src/index.ts"
import { traceSchemas } from "../src/read/traceSchemas.ts"
import { podWithoutOwner, rehearseSpec } from "./run.ts"

const result = rehearseSpec({
  duration: "9m",
  cluster: {
    nodes: [
      { name: "n", count: 2, zone: "zone-a" },
      { name: "m", count: 2, zone: "zone-b" }
    ],
    objects: [podWithoutOwner("p", "n-0")]
  },
  events: [{ at: "1m", fault: "crash", nodes: { zone: "zone-a" } }],
  expect: [{ name: "somebody goes", evictions: {}, min: 1 }]
})
const text = renderJson(result)

type Value = { [key: string]: unknown }

/** Returns the errors of a result with one value replaced, at a path such as `summary.evictions` or `trace.3`. */
const problemsOf = (path: string, value: unknown, file = "r.json"): string => {
  const written = JSON.parse(text) as Value
  const keys = path.split(".")
  const last = keys.pop() ?? ""
  const holder = keys.reduce((inner, key) => inner[key] as Value, written)
  if (value === undefined) delete holder[last]
  else holder[last] = value
  return messageOf(JSON.stringify(written), file)
}

const messageOf = (written: string, file = "r.json"): string => {
  const checked = Result.flatMap(parseDocuments(file, written), ([document]) =>
    checkReported(document ?? { file, path: "", value: undefined })
  )
  return Result.isFailure(checked) ? checked.failure.message : ""
}

describe("reading a result", () => {
  it("accepts the result of a rehearsal", () => {
    assert.strictEqual(messageOf(text), "")
  })

  it("reports the file, the path, the found value and the expected one", () => {
    assert.strictEqual(
      problemsOf("summary.evictions.total", "many"),
      'r.json: summary.evictions.total: found "many", expected number'
    )
    assert.strictEqual(problemsOf("spec.seed", undefined), "r.json: spec.seed: is required")
    assert.strictEqual(
      problemsOf("context.rules.grase", 1),
      'r.json: context.rules.grase: unknown field; did you mean "grace"?'
    )
    assert.strictEqual(problemsOf("trace.3", 7), "r.json: trace[3]: found 7, expected a trace entry")
    assert.strictEqual(
      problemsOf("trace.0", { at: 1, type: "NodeRegistred", node: "n" }),
      'r.json: trace[0].type: found "NodeRegistred", expected a type of trace entries; did you mean "NodeRegistered"?'
    )
    assert.strictEqual(
      problemsOf("trace.0", {
        at: 1,
        type: "PodDeletionRequested",
        namespace: "d",
        pod: "p",
        node: "n",
        by: "usr",
        gracePeriodSeconds: 1
      }).replace(/expected .*;/, "…"),
      'r.json: trace[0].by: found "usr", … did you mean "user"?'
    )
    assert.strictEqual(
      problemsOf("trace.0", { at: 1, type: "toString" }),
      'r.json: trace[0].type: found "toString", expected a type of trace entries'
    )
    assert.strictEqual(
      problemsOf("spec.durationSeconds", 0),
      "r.json: spec.durationSeconds: found 0, expected a number of seconds above 0"
    )
  })

  it("reports which of several documents is invalid", () => {
    const two = Result.getOrThrow(parseDocuments("r.json", `${text}{"kind":"ScenarioResult","apiVersion":"v1"}`))
    const checked = two.map((document) => checkReported(document))
    assert.deepStrictEqual(checked.map(Result.isSuccess), [true, false])
    const [, second] = checked
    assert.include(
      second !== undefined && Result.isFailure(second) ? second.failure.message : "",
      "r.json: document 2.apiVersion: "
    )
  })

  it("reports other kinds of documents and other versions", () => {
    assert.strictEqual(
      problemsOf("kind", "Scenario"),
      'r.json: kind: found "Scenario", expected one of ScenarioResult, ReleaseComparison, SettingComparison; rehearse it first: rollcall simulate FILE -o json'
    )
    assert.include(problemsOf("kind", "ScenarioResults"), 'did you mean "ScenarioResult"?')
    assert.strictEqual(
      problemsOf("apiVersion", "rollcall.dev/v2"),
      'r.json: apiVersion: found "rollcall.dev/v2", expected "rollcall.dev/v1alpha1": another version of rollcall wrote it; report on it with that one'
    )
    assert.strictEqual(
      problemsOf("context", undefined),
      "r.json: context: is required; results of earlier versions lack it: rehearse the scenario again"
    )
    assert.strictEqual(messageOf("[1]"), "r.json: found [1], expected a result or a comparison")
  })

  it("has a schema for each type of trace entry", () => {
    assert.deepStrictEqual(Object.keys(traceSchemas).toSorted(), [...traceTypes].toSorted())
  })
})

describe("a hostile result", () => {
  it("is refused if it is nested too deeply, in any field", () => {
    const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`
    for (const path of ["warnings", "context", "trace", "summary"]) {
      const message = messageOf(problemText(path, deep))
      assert.include(message, `r.json: ${path}`)
      assert.isBelow(message.length, 4000)
    }
  })

  it("is refused with the first problems if there are very many", () => {
    const message = messageOf(problemText("trace", `[${Array.from({ length: 100_000 }, () => "1").join()}]`))
    assert.lengthOf(message.split("\n"), 21)
    assert.include(message, "has more problems than these")
  })

  it("is escaped in the HTML page", () => {
    const script = '"><script>alert(1)</script>'
    const enums = new Set<unknown>([result.apiVersion, result.kind, result.context.podEviction])
    for (const { type } of result.trace) enums.add(type)
    for (const entry of result.trace) if (entry.type === "PodDeletionRequested") enums.add(entry.by)
    const keep = new Set(["fault", "to", "from", "condition", "effect", "do"])
    const replaced = (value: unknown, key = ""): unknown => {
      if (typeof value === "string") return enums.has(value) || keep.has(key) ? value : `${value}${script}`
      if (Array.isArray(value)) return value.map((item) => replaced(item, key))
      if (typeof value !== "object" || value === null) return value
      const renames = key === "zones" || key === "byZone" || key === "notReadySeconds"
      return Object.fromEntries(
        Object.entries(value).map(([name, item]) => [renames ? name + script : name, replaced(item, name)])
      )
    }
    const written = JSON.stringify(replaced(JSON.parse(text)))
    assert.strictEqual(messageOf(written), "")
    const [document] = Result.getOrThrow(parseDocuments("r.json", written))
    assert.isDefined(document)
    if (document === undefined) return
    const html = Result.getOrThrow(renderReported("html", [Result.getOrThrow(checkReported(document))])).join("")
    assert.include(html, "&lt;script&gt;")
    assert.notInclude(html, "<script")
    assert.notMatch(html, /="[^"]*<script/)
  })

  it("writes no control characters to a terminal", () => {
    const sequence = "\u001b]0;title\u0007\u009b31m"
    const trace = result.trace.map(
      (entry): TraceEntry => ("pod" in entry ? { ...entry, pod: `${entry.pod}${sequence}` } : entry)
    )
    const table = renderTable({ ...result, metadata: { name: `x${sequence}` }, trace })
    assert.notMatch(table, /[^\P{Cc}\n]/u)
    assert.include(table, "x\ufffd]0;title\ufffd\ufffd31m")
  })

  it("does not hang or overflow a report by its size", () => {
    const many = 140_000
    const trace: ReadonlyArray<TraceEntry> = [
      { at: 1, type: "FaultStarted", fault: "partition", nodes: ["n-0"] },
      {
        at: 60,
        type: "ConditionChanged",
        node: "n-0",
        condition: "Ready",
        from: "True",
        to: "Unknown",
        reason: "",
        message: ""
      },
      ...Array.from({ length: many }, (_, index) => [
        { at: 100, type: "PodCreated", namespace: "d", pod: `p-${index}`, owner: "StatefulSet/s" } as const,
        {
          at: 101 + index / many,
          type: "PodDeletionRequested",
          namespace: "d",
          pod: `p-${index}`,
          node: "n-0",
          by: "taint-eviction",
          gracePeriodSeconds: 30
        } as const,
        { at: 300, type: "PodDeleted", namespace: "d", pod: `p-${many - index}`, node: "n-0" } as const
      ]).flat()
    ]
    assert.include(renderTable({ ...result, trace }), "140,000 pods")
  })
})

function problemText(path: string, json: string): string {
  const written = JSON.parse(text) as Value
  written[path] = "@"
  return JSON.stringify(written).replace(`"${path}":"@"`, `"${path}":${json}`)
}

import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { makeModelledPodRuntime, type StreamInput } from "../../src/index.ts"
import { setUpKubelet } from "../setUpKubelet.ts"

const scripts = [
  "i=0; while [ $i -lt 40 ]; do echo line $i; i=$((i+1)); sleep 0.7; done; printf last",
  'echo one; printf part; sleep 3; echo " and rest"; sleep 4; echo äöü >&2; sleep 20; exit 3',
  "while true; do date; sleep 0.25; done",
  "for i in 1 2 3; do echo $RANDOM; done; sleep 9; curl example.org; echo never",
  `for i in 1 2 3 4 5 6 7 8 9; do echo ${"long ".repeat(3000)}; sleep 2; done`
]

const query = fc.record(
  {
    follow: fc.constantFrom("true", "false"),
    timestamps: fc.constant("true"),
    tailLines: fc.integer({ min: 0, max: 30 }).map(String),
    limitBytes: fc.integer({ min: 1, max: 40_000 }).map(String),
    sinceSeconds: fc.integer({ min: 1, max: 40 }).map(String),
    previous: fc.constantFrom("true", "false")
  },
  { requiredKeys: ["follow"] }
)

/** A reader that joins, and perhaps does not read for a time or leaves. All times are milliseconds after the start. */
const reader = fc.record({
  joinsMs: fc.integer({ min: 3_000, max: 60_000 }),
  query,
  fullMs: fc.option(fc.integer({ min: 100, max: 30_000 }), { nil: 0 }),
  leavesMs: fc.option(fc.integer({ min: 0, max: 60_000 }), { nil: 1_000_000 })
})

type Reader = typeof reader extends fc.Arbitrary<infer A> ? A : never

/** Returns what readers of the log of one container get. */
const textsOf = (script: string, restarts: boolean, readers: ReadonlyArray<Reader>): ReadonlyArray<string> => {
  const made = setUpKubelet({ runtime: (timers) => makeModelledPodRuntime(timers, { startMs: 1_000 }) })
  made.kubelet.startKubelet()
  const container = { name: "c", image: "i", command: ["sh", "-c", script] }
  made.untilMs(1_000)
  made.api.createPod("p", "n1", { containers: [container], restartPolicy: restarts ? "Always" : "Never" })
  const texts = readers.map(() => "")
  const deeds = readers.flatMap(({ fullMs, joinsMs, leavesMs, query }, index) => {
    let input: StreamInput | undefined
    let isFull = fullMs > 0
    const add = (text: string) => {
      texts[index] += text
    }
    const join = () => {
      const asked = new Map(Object.entries(query).map(([name, value]) => [name, [value]] as const))
      const { body } = made.kubelet.serve({ method: "GET", path: "/containerLogs/default/p/c", query: asked })
      if (typeof body === "string") add(body)
      else if ("open" in body)
        input = body.open({ write: (_, text) => add(text), isFull: () => isFull, end: () => add("<end>") })
    }
    const read = () => {
      isFull = false
    }
    return [
      { atMs: joinsMs, act: join },
      { atMs: joinsMs + fullMs, act: read },
      { atMs: joinsMs + leavesMs, act: () => input?.close() }
    ]
  })
  for (const { act, atMs } of deeds.toSorted((one, other) => one.atMs - other.atMs)) {
    if (atMs > 100_000) break
    made.untilMs(atMs)
    act()
  }
  made.untilMs(100_000)
  return texts
}

describe("readers of one log", () => {
  it("each get what a reader alone gets", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...scripts),
        fc.boolean(),
        fc.array(reader, { minLength: 2, maxLength: 8 }),
        (script, restarts, readers) => {
          const alone = readers.flatMap((one) => textsOf(script, restarts, [one]))
          assert.deepStrictEqual(textsOf(script, restarts, readers), alone)
        }
      ),
      { numRuns: 6 }
    )
  })
})

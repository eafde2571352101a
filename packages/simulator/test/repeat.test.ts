import { assert, describe, it } from "vitest"
import { podWithoutOwner, run } from "./run.ts"

/** Everything that is random: placement, names, jitter of heartbeats and back-offs, packet loss, a choice of nodes. */
const spec = (seed: number) => ({
  seed,
  duration: "12m",
  cluster: {
    nodes: [
      { name: "a", count: 4, zone: "zone-a" },
      { name: "b", count: 4, zone: "zone-b" }
    ],
    objects: [
      podWithoutOwner("p", "b-0"),
      {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "web", namespace: "default" },
        spec: {
          replicas: 8,
          selector: { matchLabels: { app: "web" } },
          template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "x" }] } }
        }
      }
    ]
  },
  events: [
    { at: "30s", for: "4m", fault: "loss", nodes: { zone: "zone-a" }, rate: 0.4 },
    { at: "1m", for: "9m", fault: "crash", nodes: { fraction: 0.4 } },
    { at: "8m", fault: "controller-restart" }
  ]
})

describe("a scenario", () => {
  it("with one seed gives the same result ten times", { timeout: 60_000 }, () => {
    const first = run(spec(7), { traceLeases: true })
    assert.isAbove(first.summary.evictions.total, 0)
    const { wallSeconds: _, ...summary } = first.summary
    for (let time = 2; time <= 10; time++) {
      const again = run(spec(7), { traceLeases: true })
      assert.strictEqual(again.summary.traceDigest, summary.traceDigest)
      assert.deepStrictEqual(
        { ...again, summary: { ...again.summary, wallSeconds: 0 } },
        { ...first, summary: { ...summary, wallSeconds: 0 } }
      )
    }
  })

  it("with another seed gives another result", () => {
    const digests = new Set([1, 2, 3, 4, 5].map((seed) => run(spec(seed)).summary.traceDigest))
    assert.strictEqual(digests.size, 5)
  })

  it("gives the same result with or without heartbeats in the trace", () => {
    const { trace, summary } = run(spec(7), { traceLeases: true })
    const plain = run(spec(7))
    assert.deepStrictEqual(
      plain.trace,
      trace.filter(({ type }) => type !== "LeaseRenewed")
    )
    assert.notStrictEqual(plain.summary.traceDigest, summary.traceDigest)
  })

  it("gives the same result whatever else runs in the process", () => {
    const alone = run(spec(7)).summary.traceDigest
    run(spec(3))
    assert.strictEqual(run(spec(7)).summary.traceDigest, alone)
  })
})

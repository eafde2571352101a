import { assert, describe, it } from "vitest"
import { START_MS, TestCluster } from "../TestCluster.ts"

const settings = {
  nodeMonitorPeriodMs: 1000,
  nodeMonitorGracePeriodMs: 8000,
  nodeStartupGracePeriodMs: 12_000,
  nodeEvictionRate: 0.5,
  secondaryNodeEvictionRate: 0.1,
  largeClusterSizeThreshold: 10
}

/** Twelve nodes with ten pods each die at once, behind the default client limits. */
const runZoneOutage = (limits?: { readonly qps: number; readonly burst: number }): TestCluster => {
  const cluster = new TestCluster(settings, limits)
  cluster.beatMs = 2000
  for (let index = 0; index < 3; index++) cluster.addNode(`a-${index}`, "a")
  const dead = Array.from({ length: 12 }, (_, index) => `b-${index}`)
  for (const name of dead) {
    cluster.addNode(name, "b")
    for (let pod = 0; pod < 10; pod++) cluster.addPod(`${name}-${pod}`, name)
  }
  cluster.runTo(0.3)
  cluster.start()
  cluster.runTo(21)
  cluster.silence(...dead)
  cluster.runTo(60)
  return cluster
}

const timesOfRequests = (cluster: TestCluster, verb: string, kind: string): ReadonlyArray<number> =>
  cluster.api.noted
    .filter(
      ({ atMs, code, request }) =>
        request.verb === verb && request.kind === kind && code === 200 && atMs > START_MS + 21_000
    )
    .map(({ atMs }) => (atMs - START_MS) / 1000)

const judgedAt = (cluster: TestCluster): number =>
  Number(cluster.reports.find((line) => line.endsWith("b Normal->FullDisruption"))?.split(" ")[0])

describe("a client with a limit of its own", () => {
  it("makes the pass that marks nodes and pods take as long as its requests", () => {
    const cluster = runZoneOutage({ qps: 20, burst: 30 })
    const unknown = timesOfRequests(cluster, "update", "Node")
    const first = unknown[0] ?? 0
    assert.lengthOf(unknown, 12)
    assert.lengthOf(timesOfRequests(cluster, "update", "Pod"), 120)
    // Eight workers take a node each and see to its pods before they take the next.
    assert.lengthOf(
      unknown.filter((at) => at < first + 0.1),
      8
    )
    assert.isTrue(unknown.slice(8).every((at) => at > first + 4 && at < first + 5))
    // The zone is judged when the last pod is marked.
    assert.approximately(judgedAt(cluster) - first, 8, 1)
  })

  it("sends at its rate once the burst is spent", () => {
    const all = runZoneOutage({ qps: 20, burst: 30 }).api.noted.filter(({ atMs }) => atMs > START_MS + 28_000)
    const from = all[0]?.atMs ?? 0
    const sent = (seconds: number) => all.filter(({ atMs }) => atMs <= from + seconds * 1000).length
    assert.isAtMost(sent(0.04), 30)
    assert.isAtMost(sent(5), 30 + 100)
  })

  it("makes the difference", () => {
    const cluster = runZoneOutage()
    const unknown = timesOfRequests(cluster, "update", "Node")
    const first = unknown[0] ?? 0
    assert.isTrue(unknown.every((at) => at < first + 0.1))
    assert.approximately(judgedAt(cluster), first, 0.11)
  })
})

import { type StartedCluster, startCluster } from "@rollcall/testing"

const MIB = 2 ** 20
const CLUSTERS = 20

const residentBytes = (): number => {
  globalThis.gc?.()
  return process.memoryUsage().rss
}

const timed = async <A>(work: () => Promise<A>): Promise<readonly [result: A, ms: number]> => {
  const startedMs = performance.now()
  const result = await work()
  return [result, performance.now() - startedMs]
}

const stopAll = (clusters: ReadonlyArray<StartedCluster>) => Promise.all(clusters.map(({ stop }) => stop()))

/** Prints what a cluster of the test kit costs: its start, its memory, six minutes of an outage; the first beside later ones. */
export const benchTesting = async (): Promise<void> => {
  const print = (line: string) => process.stdout.write(`${line}\n`)
  const [first, firstMs] = await timed(() => startCluster({ nodes: 3 }))
  const before = residentBytes()
  const [clusters, allMs] = await timed(() =>
    Promise.all(Array.from({ length: CLUSTERS }, () => startCluster({ nodes: 3 })))
  )
  const bytes = (residentBytes() - before) / CLUSTERS
  await stopAll(clusters)
  const [, oneMs] = await timed(async () => {
    for (let count = 0; count < 5; count++) await (await startCluster({ nodes: 3 })).stop()
  })
  await first.partition({ nodes: { names: ["a-1"] } })
  const [, advanceMs] = await timed(() => first.advance("6m"))
  await first.stop()
  print(
    `test clusters of 3 nodes: the first starts in ${firstMs.toFixed(0)} ms, a later one in ${(oneMs / 5).toFixed(0)} ms`
  )
  print(`${CLUSTERS} in parallel: ${allMs.toFixed(0)} ms, ${(bytes / MIB).toFixed(1)} MiB each`)
  print(`six minutes of an outage: ${advanceMs.toFixed(0)} ms, ${(360_000 / advanceMs).toFixed(0)} times real time`)
}

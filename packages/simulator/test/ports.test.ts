import { forbidden, type Pod } from "@rollcall/api"
import { AdmissionPlugins } from "@rollcall/api-server"
import { makeModelledPodRuntime, PodRuntimes } from "@rollcall/kubelet"
import { SchedulerPlugins } from "@rollcall/scheduler"
import { layerMemory, Store } from "@rollcall/store"
import { Timers } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { assert, describe, it } from "vitest"
import type { PortLayers } from "../src/Rehearsal.ts"
import { entriesOf, run } from "./run.ts"

const pod = (name: string, image = "web:1") => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default" },
  spec: { containers: [{ name: "c", image }] }
})

const spec = {
  duration: "2m",
  cluster: {
    nodes: [
      { name: "cheap", labels: { price: "low" } },
      { name: "dear", labels: { price: "high" } }
    ],
    objects: [pod("a"), pod("b"), pod("c"), pod("d")]
  }
}

const placed = (layers?: PortLayers) =>
  entriesOf(run(spec, layers === undefined ? {} : { layers }), "PodScheduled")
    .map(({ node, pod: name }) => `${name} on ${node}`)
    .toSorted()

describe("a port of one's own in a rehearsal", () => {
  it("scheduler plugins run after Kubernetes' own", () => {
    const cheapFirst = SchedulerPlugins.layer({
      CheapFirst: {
        score: {
          name: "CheapFirst",
          weight: 100,
          score: (_, nodes, __, scores) => {
            for (const [index, { labels }] of nodes.entries()) scores[index] = labels.price === "low" ? 100 : 0
            return true
          }
        }
      }
    })
    assert.notDeepEqual(placed(), placed(cheapFirst))
    assert.deepStrictEqual(placed(cheapFirst), ["a on cheap-0", "b on cheap-0", "c on cheap-0", "d on cheap-0"])
  })

  it("admission plugins run after the server's own", () => {
    const later = { ...spec, cluster: { nodes: spec.cluster.nodes } }
    const events = [{ at: "10s", do: "apply", objects: [pod("loose", "web"), pod("tagged")] }]
    const tagged = AdmissionPlugins.layer({
      name: "Tagged",
      admits: (kind, verb, subresource) => kind === "Pod" && verb === "create" && subresource === undefined,
      validate: ({ name, object }) =>
        (object as Pod).spec.containers.every(({ image = "" }) => image.includes(":"))
          ? undefined
          : forbidden({ group: "", resource: "pods" }, name, "its image has no tag")
    })
    const { warnings } = run({ ...later, events }, { layers: tagged })
    assert.match(
      warnings.join("\n"),
      /spec\.events\[0\]: the API refused: pods "loose" is forbidden: its image has no tag/
    )
    assert.deepStrictEqual(run({ ...later, events }).warnings, [])
  })

  it("pod runtimes run the pods of all machines, on the rehearsal's own clock", () => {
    const made: Array<string> = []
    const slow = Layer.effect(
      PodRuntimes,
      Effect.map(Timers, (timers) => ({
        of: ({ host, name }) => {
          made.push(name)
          return makeModelledPodRuntime(timers, { startMs: 20_000 }, host)
        }
      }))
    )
    const readyAt = (layers?: PortLayers) =>
      entriesOf(run(spec, layers === undefined ? {} : { layers }), "PodReadyChanged").map(({ at }) => Math.floor(at))
    assert.isTrue(readyAt().every((at) => at < 5))
    assert.isTrue(readyAt(slow).length === 4 && readyAt(slow).every((at) => at >= 20 && at < 25))
    assert.deepStrictEqual([...new Set(made)].toSorted(), ["cheap-0", "dear-0"])
  })

  it("a store keeps the objects, and is closed after the last write to it", () => {
    let [writes, isClosed, isLate] = [0, false, false]
    const counting = Layer.effect(
      Store,
      Effect.gen(function* () {
        const inner = Context.get(yield* Layer.build(layerMemory()), Store)
        yield* Effect.addFinalizer(() =>
          Effect.sync(() => {
            isClosed = true
          })
        )
        return {
          ...inner,
          write: (...request: Parameters<typeof inner.write>) => {
            writes++
            isLate ||= isClosed
            return inner.write(...request)
          }
        }
      })
    )
    const { summary } = run(spec, { layers: counting })
    assert.isAbove(writes, 20)
    assert.isTrue(isClosed)
    assert.isFalse(isLate)
    assert.strictEqual(summary.traceDigest, run(spec).summary.traceDigest)
  })
})

import { forbidden, type Pod } from "@rollcall/api"
import { AdmissionPlugins } from "@rollcall/api-server"
import { Observers } from "@rollcall/control-plane"
import { makeModelledHost, makeModelledPodRuntime, NodeHosts, PodRuntimes } from "@rollcall/kubelet"
import { Inhibitors, Links } from "@rollcall/machines"
import { CloudProvider } from "@rollcall/node-controller"
import { SchedulerPlugins } from "@rollcall/scheduler"
import { layerMemory, Store } from "@rollcall/store"
import { Timers } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { assert, describe, it } from "vitest"
import type { PortLayers } from "../src/Rehearsal.ts"
import { entriesOf, planOf, run } from "./run.ts"

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

const nodesOfPods = (layers?: PortLayers) =>
  entriesOf(run(spec, layers === undefined ? {} : { layers }), "PodScheduled")
    .map(({ node, pod: name }) => `${name} on ${node}`)
    .toSorted()

describe("a replaced port in a rehearsal", () => {
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

  it("scheduler plugins run after Kubernetes' own", () => {
    assert.notDeepEqual(nodesOfPods(), nodesOfPods(cheapFirst))
    assert.deepStrictEqual(nodesOfPods(cheapFirst), ["a on cheap-0", "b on cheap-0", "c on cheap-0", "d on cheap-0"])
  })

  it("scheduler plugins are weighted and disabled by a KubeSchedulerConfiguration", () => {
    const configured = (plugins: object) => ({ ...spec, config: { scheduler: { profiles: [{ plugins }] } } })
    const placedBy = (plugins: object, options = { layers: cheapFirst }) =>
      entriesOf(run(configured(plugins), options), "PodScheduled")
        .map(({ node, pod: name }) => `${name} on ${node}`)
        .toSorted()
    const out = { multiPoint: { disabled: [{ name: "CheapFirst" }] } }
    assert.deepStrictEqual(placedBy(out), nodesOfPods())
    assert.deepStrictEqual(placedBy({}), nodesOfPods(cheapFirst))
    assert.deepStrictEqual(
      placedBy({ score: { enabled: [{ name: "CheapFirst", weight: 50 }] } }),
      nodesOfPods(cheapFirst)
    )
    const misspelt = { score: { enabled: [{ name: "CheapFrist" }] } }
    assert.throws(
      () => placedBy(misspelt),
      /spec\.config\.scheduler\.profiles\[0\]\.plugins\.score\.enabled\[0\]\.name: found "CheapFrist".*did you mean "CheapFirst"/
    )
    const named = configured({ score: { enabled: [{ name: "CheapFirst" }] } })
    assert.throws(() => planOf(named), /found "CheapFirst", expected a plugin that scores/)
    assert.strictEqual(planOf({ ...named, layers: ["./cheap-first.ts"] }).warnings.length, 0)
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

  it("pod runtimes run the pods of all machines, on the virtual clock", () => {
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

  it("hosts report the resources of their machines", () => {
    const small = Layer.succeed(NodeHosts, {
      of: (machine) => makeModelledHost({ ...machine, capacity: { cpu: "2", memory: "4Gi", pods: "1" } })
    })
    assert.strictEqual(nodesOfPods().length, 4)
    assert.deepStrictEqual(
      nodesOfPods(small).map((text) => text.replace(/^. /, "")),
      ["on cheap-0", "on dear-0"]
    )
  })

  it("links carry the requests of kubelets", () => {
    const cutOff = Layer.effect(
      Links,
      Effect.map(Timers, (timers) => ({
        of: (name, to) => {
          const link = Links.modelled(timers, 1).of(name, to)
          if (name === "dear-0") timers.after(10_000, () => link.setCut(true))
          return link
        }
      }))
    )
    const nodes = { ...spec, cluster: { nodes: spec.cluster.nodes } }
    const ready = entriesOf(run(nodes, { layers: cutOff }), "ConditionChanged").filter(
      ({ condition, to }) => condition === "Ready" && to !== "True"
    )
    assert.deepStrictEqual(
      ready.map(({ node, to }) => `${node} ${to}`),
      ["dear-0 Unknown"]
    )
  })

  it("inhibitors decide whether the shutdown of a machine is delayed", () => {
    const graceful = {
      ...spec,
      config: { kubelet: { shutdownGracePeriod: "30s", shutdownGracePeriodCriticalPods: "10s" } },
      events: [{ at: "20s", do: "shutdown", nodes: { names: ["dear-0"] } }]
    }
    const pulled = Layer.succeed(Inhibitors, {
      of: ({ machine }) => ({
        admit: () => undefined,
        begin: () => machine().crash(),
        cancel: () => undefined,
        kubeletEnded: () => undefined
      })
    })
    const started = (layers?: PortLayers) =>
      entriesOf(run(graceful, layers === undefined ? {} : { layers }), "ShutdownStarted").length
    assert.strictEqual(started(), 1)
    assert.strictEqual(started(pulled), 0)
  })

  it("a cloud provider answers the cloud controllers, and observers receive the controllers' decisions", () => {
    const rack: CloudProvider["Service"] = {
      name: "rack",
      instances: {
        instanceExists: () => Effect.succeed(true),
        instanceShutdown: () => Effect.succeed(false),
        instanceMetadata: ({ metadata: { name = "" }, status }) =>
          Effect.succeed({
            providerID: `rack://${name}`,
            instanceType: "1u",
            nodeAddresses: status?.addresses ?? [],
            zone: `rack-${name}`,
            region: "cellar",
            additionalLabels: {}
          })
      }
    }
    const zones: Array<string> = []
    const observing = Observers.layer(
      { zoneCreated: (zone) => void zones.push(zone) },
      { zoneCreated: () => assert.fail("odd") }
    )
    const layers = Layer.merge(Layer.succeed(CloudProvider, rack), observing)
    const nodes = { duration: "1m", cluster: { nodes: spec.cluster.nodes } }
    const result = run({ ...nodes, config: { cloudProvider: {} } }, { layers })
    assert.deepStrictEqual(result.warnings, [])
    const created = entriesOf(result, "ZoneCreated").map(({ region, zone }) => `${region} ${zone}`)
    assert.includeMembers(created, ["cellar rack-cheap-0", "cellar rack-dear-0"])
    assert.strictEqual(zones.length, created.length)
    // An error of an observer ends neither the pass nor the run.
    assert.include(JSON.stringify(result.bugs), "observer: ")
    assert.match(run(nodes, { layers }).warnings.join(), /CloudProvider of the layers is not used/)
  })
})

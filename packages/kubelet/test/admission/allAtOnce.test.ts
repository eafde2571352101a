import type { Node, Pod } from "@rollcall/api"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { makeModelledHost, type PodAdmitHandler } from "../../src/index.ts"
import { setUpKubelet } from "../setUpKubelet.ts"
import { makeAdmission, nodeOf, podOf } from "./gate.ts"

const often = <A>(usual: A, ...others: ReadonlyArray<A>) =>
  fc.oneof({ weight: 30, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) })

/** A pod with one trait in which it may differ from pods that every node takes. */
const somePod = fc.record({
  cpu: fc.integer({ min: 0, max: 700 }),
  device: often("", "example.com/gpu", "example.com/unknown"),
  hostPort: often(0, 80, 81),
  label: often("linux", "windows"),
  nodeName: often("n1", "n2"),
  selector: often("linux", "windows"),
  sysctl: often("", "kernel.msgmax"),
  tolerates: fc.boolean(),
  hostPhase: often("Pending", "Running")
})

const podFrom = (traits: typeof somePod extends fc.Arbitrary<infer A> ? A : never, index: number): Pod => {
  const requests = { cpu: `${traits.cpu}m`, ...(traits.device === "" ? {} : { [traits.device]: "1" }) }
  const ports = traits.hostPort === 0 ? [] : [{ containerPort: 80, hostPort: traits.hostPort }]
  return podOf(
    `p${index}`,
    {},
    {
      metadata: { name: `p${index}`, uid: `p${index}`, labels: { "kubernetes.io/os": traits.label } },
      spec: {
        nodeName: traits.nodeName,
        containers: [{ name: "c", resources: { requests }, ports }],
        nodeSelector: { "kubernetes.io/os": traits.selector },
        ...(traits.sysctl === "" ? {} : { securityContext: { sysctls: [{ name: traits.sysctl, value: "1" }] } }),
        ...(traits.tolerates ? { tolerations: [{ operator: "Exists" as const }] } : {})
      },
      status: { phase: traits.hostPhase }
    }
  )
}

const nodes: ReadonlyArray<Node> = [
  nodeOf({ pods: "8", "example.com/gpu": "1" }),
  nodeOf({}, { spec: { taints: [{ key: "gone", effect: "NoExecute" }] } })
]

const host = makeModelledHost({ name: "n1", capacity: { cpu: "4", memory: "4Gi", "ephemeral-storage": "10Gi" } })

describe("the pods of a node without any", () => {
  it("each pass the handlers in any order, if these are sure of all of them", () => {
    const { admitsAll, offer } = makeAdmission()
    let sure = 0
    fc.assert(
      fc.property(
        fc.array(somePod, { maxLength: 10 }),
        fc.constantFrom(...nodes),
        fc.infiniteStream(fc.nat()),
        (traits, node, order) => {
          const pods = traits.map(podFrom)
          if (!admitsAll(pods, node)) return
          sure++
          const keys = new Map(pods.map((pod) => [pod, order.next().value ?? 0]))
          const before: Array<Pod> = []
          for (const pod of pods.toSorted((left, right) => (keys.get(left) ?? 0) - (keys.get(right) ?? 0))) {
            assert.strictEqual(offer(pod, node, before).decision(), "admitted")
            before.push(pod)
          }
        }
      ),
      { numRuns: 2_000 }
    )
    assert.isAbove(sure, 100)
  })

  it("are asked about one by one if they do not fit together, or one cannot be judged", () => {
    const { admitsAll } = makeAdmission()
    const three = ["a", "b", "c"].map((name) => podOf(name, { cpu: "600m" }))
    assert.isTrue(admitsAll(three, nodeOf()))
    assert.isFalse(admitsAll([...three, podOf("d", { cpu: "600m" })], nodeOf()), "2.4 of 2 CPUs")
    assert.isFalse(admitsAll(three, nodeOf({ pods: "2" })))
    assert.isFalse(admitsAll(three, undefined), "no Node is known")
    assert.isFalse(admitsAll([podOf("e", { cpu: "much" })], nodeOf()))
    assert.isFalse(makeAdmission({ extra: [() => undefined] }).admitsAll(three, nodeOf()), "a handler does not say so")
  })

  const askedOf = (cpus: ReadonlyArray<string>) => {
    const asked: Array<string> = []
    const handler: PodAdmitHandler = Object.assign(
      ({ pod }: { readonly pod: Pod }) => {
        asked.push(pod.metadata.name ?? "")
        return undefined
      },
      { admitsAll: () => true }
    )
    const { api, kubelet, untilMs } = setUpKubelet({ admission: [handler], host })
    for (const [index, cpu] of cpus.entries())
      api.createPod(`p${index}`, "n1", {
        containers: [{ name: "c", image: "pause", resources: { requests: { cpu } } }]
      })
    kubelet.startKubelet()
    untilMs(10_000)
    const phases = cpus.map((_, index) => api.pod(`p${index}`)?.status?.phase)
    api.createPod("later", "n1")
    untilMs(20_000)
    return { asked, phases, later: api.pod("later")?.status?.phase }
  }

  it("start without a question about each when their kubelet starts; a later pod is asked about", () => {
    const all = askedOf(["100m", "200m", "300m"])
    assert.deepStrictEqual(all, { asked: ["later"], phases: ["Running", "Running", "Running"], later: "Running" })
  })

  it("are refused by the kubelet that starts, as far as they do not fit", () => {
    const { asked, phases } = askedOf(["3", "2", "100m"])
    assert.deepStrictEqual(phases, ["Running", "Failed", "Running"])
    assert.deepStrictEqual(asked, ["p0", "p2", "later"])
  })
})

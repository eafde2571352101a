import type { Node, NodeCondition, Taint } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { noScheduleDifference } from "../../src/rules.ts"

const noSchedule = (name: string): Taint => ({ key: `node.kubernetes.io/${name}`, effect: "NoSchedule" })

const nodeOf = (conditions: Readonly<Record<string, string>>, spec: NonNullable<Node["spec"]> = {}): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n" },
  spec,
  status: { conditions: Object.entries(conditions).map(([type, status]): NodeCondition => ({ type, status })) }
})

describe("a node's NoSchedule taints", () => {
  it("match its conditions, each status its own taint", () => {
    const said = {
      Ready: { False: "not-ready", Unknown: "unreachable" },
      MemoryPressure: { True: "memory-pressure" },
      DiskPressure: { True: "disk-pressure" },
      PIDPressure: { True: "pid-pressure" },
      NetworkUnavailable: { True: "network-unavailable" }
    }
    for (const [type, taints] of Object.entries<Readonly<Record<string, string>>>(said)) {
      for (const status of ["True", "False", "Unknown"]) {
        const expected = taints[status]
        assert.deepStrictEqual(
          noScheduleDifference(nodeOf({ [type]: status }))?.toAdd,
          expected === undefined ? undefined : [noSchedule(expected)],
          `${type}=${status}`
        )
      }
    }
    assert.isUndefined(noScheduleDifference(nodeOf({ OutOfDisk: "True" })))
  })

  it("say that it is cordoned", () => {
    const wanted = { toAdd: [noSchedule("unschedulable")], toRemove: [] }
    assert.deepStrictEqual(noScheduleDifference(nodeOf({ Ready: "True" }, { unschedulable: true })), wanted)
    assert.isUndefined(noScheduleDifference(nodeOf({ Ready: "True" }, { unschedulable: false })))
  })

  it("are put on and taken off together", () => {
    const taints = [noSchedule("memory-pressure"), noSchedule("unschedulable"), noSchedule("not-ready")]
    const node = nodeOf({ Ready: "False", DiskPressure: "True" }, { unschedulable: true, taints })
    assert.deepStrictEqual(noScheduleDifference(node), {
      toAdd: [noSchedule("disk-pressure")],
      toRemove: [noSchedule("memory-pressure")]
    })
    assert.isUndefined(noScheduleDifference(nodeOf({ Ready: "False" }, { taints: [noSchedule("not-ready")] })))
  })

  it("go from a node without any condition", () => {
    const bare: Node = { apiVersion: "v1", kind: "Node", metadata: { name: "n" } }
    assert.isUndefined(noScheduleDifference(bare))
    assert.isUndefined(noScheduleDifference({ ...bare, spec: { taints: [] } }))
    const admitted = { ...bare, spec: { taints: [noSchedule("not-ready")] } }
    assert.deepStrictEqual(noScheduleDifference(admitted), { toAdd: [], toRemove: [noSchedule("not-ready")] })
  })

  it("are kept if they have another effect or a foreign key", () => {
    const taints: ReadonlyArray<Taint> = [
      { key: "node.kubernetes.io/not-ready", effect: "NoExecute" },
      { key: "node.kubernetes.io/unschedulable", effect: "PreferNoSchedule" },
      { key: "node.kubernetes.io/out-of-service", effect: "NoSchedule" },
      { key: "dedicated", effect: "NoSchedule" }
    ]
    assert.isUndefined(noScheduleDifference(nodeOf({ Ready: "True" }, { taints })))
  })
})

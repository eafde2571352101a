import type { Node, Pod } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { describeNode } from "../src/index.ts"

const node: Node = {
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n1" },
  status: { allocatable: { cpu: "4", memory: "8Gi", pods: "110", storage: "5", "example.com/gpu": "2" } }
}

/** A pod whose resize from 1 to 2 CPUs is pending; requests and limits. */
const resizingPod: Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "a", namespace: "default" },
  spec: { containers: [{ name: "c", image: "i", resources: { requests: { cpu: "1" }, limits: { cpu: "2" } } }] },
  status: {
    phase: "Running",
    containerStatuses: [
      {
        name: "c",
        image: "i",
        imageID: "",
        ready: true,
        restartCount: 0,
        resources: { requests: { cpu: "2" }, limits: { cpu: "3" } },
        allocatedResources: { cpu: "2" }
      }
    ]
  }
}

const text = describeNode({ node, lease: "", pods: [resizingPod], events: undefined, nowMs: 0 })
const row = (start: RegExp) =>
  text
    .split("\n")
    .find((line) => start.test(line))
    ?.trim()
    .split(/ {2,}/)

describe("describe node", () => {
  it("shows allocated resources in the row of a resizing pod, and desired ones in the totals", () => {
    assert.deepStrictEqual(row(/^ {2}default /)?.slice(2, 4), ["2 (50%)", "3 (75%)"])
    assert.deepStrictEqual(row(/^ {2}cpu /), ["cpu", "1 (25%)", "2 (50%)"])
  })

  it("lists every resource of the node but pods after the standard ones, without a share", () => {
    const totals = text.slice(text.indexOf("Allocated resources:")).split("\n").slice(4)
    assert.deepStrictEqual(
      totals.filter((line) => line !== "").map((line) => line.trim().split(/ {2,}/)[0]),
      ["cpu", "memory", "ephemeral-storage", "example.com/gpu", "storage"]
    )
    assert.deepStrictEqual(row(/^ {2}example.com.gpu /), ["example.com/gpu", "0", "0"])
  })
})

import { assert, describe, it } from "@effect/vitest"
import { splitClusterFlags } from "../src/commands/clusterFlags.ts"

describe("splitClusterFlags", () => {
  it("takes out which cluster, and as whom, wherever it stands", () => {
    const split = splitClusterFlags([
      "get",
      "--kubeconfig=/k",
      "pods",
      "--context",
      "c",
      "-n",
      "x",
      "--as=ann",
      "--as-group",
      "dev"
    ])
    assert.deepStrictEqual(split, {
      flags: { kubeconfig: "/k", context: "c", master: "" },
      as: "ann",
      asGroups: ["dev"],
      rest: ["get", "pods", "-n", "x"]
    })
  })

  it("leaves what comes after -- alone", () => {
    assert.deepStrictEqual(splitClusterFlags(["label", "--", "--context", "x"]).rest, ["label", "--", "--context", "x"])
  })
})

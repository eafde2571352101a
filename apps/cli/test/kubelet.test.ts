import { assert, describe, it } from "vitest"
import { badKubelets } from "./badKubelets.ts"
import { makeFolder, run } from "./cli.ts"

const kubeconfig = "--kubeconfig=/there/is/none"

describe("a kubelet with invalid input", { timeout: 60_000 }, () => {
  it("has many cases", () => assert.isAtLeast(badKubelets.length, 70))

  for (const [args, message, files = {}] of badKubelets) {
    const names = Object.values(files).join(" ")
    it(`ends with 2 and why: ${args} ${names}`.replaceAll("\t", "\\t"), async () => {
      const at = makeFolder(files)
      const here = (text: string) => text.replaceAll("@", at("."))
      const given = here(args).split(" ")
      const ran = await run("kubelet", kubeconfig, ...given)
      // Before it connects to a cluster.
      assert.deepStrictEqual(ran, { code: 2, stdout: "", stderr: `rollcall: ${here(message)}\n` })
    })
  }

  it("connects to its cluster if the input is valid", async () => {
    const at = makeFolder({
      "k.yaml": "{ apiVersion: kubelet.config.k8s.io/v1beta1, kind: KubeletConfiguration, maxPods: 5 }"
    })
    const ran = await run(
      "kubelet",
      `--config=${at("k.yaml")}`,
      "--eviction-hard=memory.available<1Gi,nodefs.available<5%",
      kubeconfig
    )
    assert.strictEqual(ran.code, 2)
    assert.include(ran.stderr, "/there/is/none")
  })
})

import { readFileSync } from "node:fs"
import { snapshotKinds, withoutSecrets } from "@rollcall/simulator/snapshot"
import { assert, describe, it } from "vitest"
import { makeFolder, run } from "./cli.ts"
import { type Responder, respondWithLists, serveCluster } from "./servedCluster.ts"

const node = { metadata: { name: "n1", uid: "n" }, status: { conditions: [{ type: "Ready", status: "True" }] } }
const container = { name: "c", image: "x", args: ["--key=hunter2"], env: [{ name: "PASSWORD", value: "hunter2" }] }
const pod = {
  metadata: {
    name: "p",
    namespace: "shop",
    annotations: { "kubectl.kubernetes.io/last-applied-configuration": "hunter2" },
    managedFields: [{ manager: "kubectl" }]
  },
  spec: { nodeName: "n1", containers: [container] }
}
const lists = new Map<string, ReadonlyArray<object>>([
  ["/api/v1/nodes", [node]],
  ["/api/v1/pods", [pod]],
  ["/api/v1/secrets", [{ metadata: { name: "s", namespace: "shop" }, data: { password: "aHVudGVyMg==" } }]]
])

describe("rollcall snapshot", () => {
  it("reads the kinds that rehearsals and plans need, without secrets, and writes nothing", () =>
    serveCluster(respondWithLists(lists), async (at, asked) => {
      const { code, stderr } = await run("snapshot", "--kubeconfig", at("kubeconfig"), "--out", at("c.json"))
      assert.deepStrictEqual([code, stderr], [0, `rollcall: ${at("c.json")} has 1 node, 1 pod and 0 other objects\n`])
      assert.isTrue(asked.every((request) => request.startsWith("GET ") && !request.includes("watch=")))
      assert.notInclude(asked.join("\n"), "secrets")
      assert.notInclude(asked.join("\n"), "configmaps")
      const text = readFileSync(at("c.json"), "utf8")
      for (const gone of ["hunter2", "managedFields", "last-applied"]) assert.notInclude(text, gone)
      const { items, kind, metadata } = JSON.parse(text)
      assert.deepStrictEqual(
        [kind, items.map((item: { readonly kind: string }) => item.kind)],
        ["List", ["Pod", "Node"]]
      )
      assert.match(metadata.annotations["rollcall.dev/snapshot-taken"], /^20\d\d-/)
      // No reader reports a missing kind.
      const readers = [
        ["plan", "drain", "n1", "--force", "--snapshot", at("c.json")],
        ["plan", "evictions", "--snapshot", at("c.json")]
      ]
      for (const args of readers) assert.notInclude((await run(...args)).stderr, "the snapshot has no")
      const drained = await run("plan", "drain", "n1", "--force", "--snapshot", at("c.json"))
      assert.deepStrictEqual([drained.code, drained.stderr], [0, ""])
      assert.include(drained.stdout, "Nothing blocks.")
    }))

  it("reports forbidden kinds, and so do its readers", () =>
    serveCluster(respondWithLists(lists, ["/apis/policy/v1/poddisruptionbudgets"]), async (at) => {
      const { code, stderr, stdout } = await run("snapshot", "--kubeconfig", at("kubeconfig"))
      assert.strictEqual(code, 0)
      assert.include(stderr, "warning: the snapshot has no PodDisruptionBudget: ")
      const files = makeFolder({ "c.json": stdout })
      const drained = await run("plan", "drain", "n1", "--force", "--snapshot", files("c.json"))
      assert.include(drained.stderr, "has no PodDisruptionBudget: whether a budget blocks an eviction is not known")
      assert.include(drained.stdout, "Nothing known blocks it; budgets are not known.")
    }))

  it("leaves out a kind that the server does not know, with a warning", () => {
    const known = respondWithLists(lists)
    const unknown = "/apis/storage.k8s.io/v1/csinodes"
    const refusal = { apiVersion: "v1", kind: "Status", metadata: {}, status: "Failure", code: 404, reason: "NotFound" }
    const answers: Responder = (url) =>
      url.startsWith(unknown)
        ? { code: 404, body: { ...refusal, message: "the server could not find the requested resource" } }
        : known(url)
    return serveCluster(answers, async (at) => {
      const { code, stderr, stdout } = await run("snapshot", "--kubeconfig", at("kubeconfig"))
      assert.strictEqual(code, 0)
      assert.include(stderr, "warning: the snapshot has no CSINode: the server could not find the requested resource")
      const kinds: string = JSON.parse(stdout).metadata.annotations["rollcall.dev/snapshot-kinds"]
      assert.notInclude(kinds, "CSINode")
      assert.include(kinds, "Pod=1")
    })
  })

  it("does not change the file if the cluster cannot be read", () =>
    serveCluster(
      respondWithLists(lists, ["/api/v1/nodes"]),
      async (at) => {
        const { code, stderr } = await run("snapshot", "--kubeconfig", at("kubeconfig"), "--out", at("c.json"))
        assert.strictEqual(code, 1)
        assert.include(stderr, "forbidden")
        assert.strictEqual(readFileSync(at("c.json"), "utf8"), "the last one")
      },
      { "c.json": "the last one" }
    ))

  it("does not overwrite the kubeconfig that it uses", () =>
    serveCluster(respondWithLists(lists), async (at) => {
      const before = readFileSync(at("kubeconfig"), "utf8")
      const { code, stderr } = await run("snapshot", "--kubeconfig", at("kubeconfig"), "--out", at("kubeconfig"))
      assert.strictEqual(code, 2)
      assert.include(stderr, "which is read: name another file")
      assert.strictEqual(readFileSync(at("kubeconfig"), "utf8"), before)
    }))

  it("hides texts so that equal ones stay equal and cannot be guessed", () => {
    const hidden = (salt: number, value: string) =>
      withoutSecrets(Uint8Array.of(salt))({
        spec: { template: { spec: { containers: [{ env: [{ name: "A", value }] }] } } }
      })
    assert.deepStrictEqual(hidden(1, "a"), hidden(1, "a"))
    assert.notDeepEqual(hidden(1, "a"), hidden(1, "b"))
    assert.notDeepEqual(hidden(1, "a"), hidden(2, "a"))
  })
})

describe("the documentation", () => {
  const page = (name: string) => readFileSync(new URL(`../../../${name}`, import.meta.url), "utf8")

  it("shows one way to take a snapshot", () => {
    const pages = [
      "docs/how-to/rehearse-your-cluster.md",
      "docs/reference/scenario.md",
      "docs/how-to/plan-a-drain.md",
      "docs/how-to/read-an-outage.md",
      "docs/concepts/volumes.md"
    ]
    for (const name of pages) {
      assert.include(page(name), "rollcall snapshot", name)
      assert.notMatch(page(name), /kubectl get nodes,/, name)
    }
  })

  it("names every kind that is taken", () => {
    const text = page("docs/reference/scenario.md")
    for (const { kind } of snapshotKinds)
      assert.match(text, new RegExp(`\\b${kind.replace(/(y|)$/, "")}(s|es|ies)\\b`), kind)
  })
})

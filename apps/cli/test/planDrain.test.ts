import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, beforeAll, describe, it } from "vitest"
import { parseAllDocuments } from "yaml"
import { makeFolder, run } from "./cli.ts"
import { respondWithLists, serveCluster } from "./servedCluster.ts"

const examples = fileURLToPath(new URL("../../../examples/drain", import.meta.url))
const exampleFile = (name: string, file: string) => join(examples, name, file)
const read = (name: string, file: string) => readFileSync(exampleFile(name, file), "utf8")
const argsOf = (name: string) => read(name, "args.txt").trim().split(" ")

const runPlanDrain = (...args: ReadonlyArray<string>) => run("plan", "drain", ...args)

/** The first command loads the planner. */
beforeAll(() => runPlanDrain("n1"), 60_000)

interface JsonPlan {
  readonly blocked: boolean
  readonly takes: { readonly expected?: number; readonly worst?: number }
  readonly nodes: ReadonlyArray<{
    readonly name: string
    readonly outcome: string
    readonly pods: ReadonlyArray<{
      readonly name: string
      readonly stays?: boolean
      readonly block?: { readonly reason: string }
      readonly replacement?: { readonly kind: string; readonly node?: string }
    }>
  }>
}

const planAsJson = async (...args: ReadonlyArray<string>): Promise<JsonPlan> => {
  const { code, stderr, stdout } = await runPlanDrain(...args, "-o", "json")
  assert.isTrue(code === 0 || code === 1, stderr)
  const result: JsonPlan = JSON.parse(stdout)
  assert.strictEqual(code, result.blocked ? 1 : 0)
  return result
}

describe("the examples", () => {
  const names = readdirSync(examples)

  it("are many", () => {
    assert.isAtLeast(names.length, 10)
  })

  for (const name of names) {
    const args = [...argsOf(name), "--snapshot", exampleFile(name, "cluster.yaml")]

    it(`${name}: is planned as text`, async () => {
      const { blocked } = JSON.parse(read(name, "plan.json"))
      const expected = { code: blocked ? 1 : 0, stdout: read(name, "plan.txt"), stderr: "" }
      assert.deepStrictEqual(await runPlanDrain(...args), expected)
    })

    it(`${name}: is planned as JSON`, async () => {
      assert.deepStrictEqual(await planAsJson(...args), JSON.parse(read(name, "plan.json")))
    })
  }

  it("match the documentation", () => {
    const pages = ["../../docs/how-to/plan-a-drain.md", "../../README.md"]
    const text = pages.map((page) => readFileSync(join(examples, page), "utf8")).join("\n")
    const shown = [...text.matchAll(/<!-- output of: examples\/drain\/(\S+) -->\n```text\n([^`]*)```/g)]
    assert.isAtLeast(shown.length, 4)
    for (const [, name = "", output] of shown) assert.strictEqual(output, read(name, "plan.txt"))
  })
})

/** Returns the objects of an example as an API server lists them: by path, without the kind in the items. */
const listsOf = (name: string): ReadonlyMap<string, ReadonlyArray<object>> => {
  const paths: Readonly<Record<string, string>> = {
    Node: "/api/v1/nodes",
    Pod: "/api/v1/pods",
    ReplicaSet: "/apis/apps/v1/replicasets",
    PodDisruptionBudget: "/apis/policy/v1/poddisruptionbudgets"
  }
  const lists = new Map<string, Array<object>>()
  for (const document of parseAllDocuments(read(name, "cluster.yaml"))) {
    const { apiVersion: _, kind, ...object } = document.toJS()
    const path = paths[kind] ?? ""
    lists.set(path, [...(lists.get(path) ?? []), object])
  }
  return lists
}

describe("a live cluster", () => {
  const serve = (
    lists: ReadonlyMap<string, ReadonlyArray<object>>,
    body: (kubeconfig: string, asked: ReadonlyArray<string>) => Promise<void>,
    forbidden: ReadonlyArray<string> = []
  ) => serveCluster(respondWithLists(lists, forbidden), (at, asked) => body(at("kubeconfig"), asked))

  it("is planned like its snapshot, with reads only", () =>
    serve(listsOf("budget-waits"), async (kubeconfig, asked) => {
      const result = await planAsJson("n1", "--kubeconfig", kubeconfig)
      assert.deepStrictEqual(result, JSON.parse(read("budget-waits", "plan.json")))
      assert.isTrue(
        asked.every((request) => request.startsWith("GET ")),
        asked.join("\n")
      )
      assert.isFalse(asked.some((request) => request.includes("watch=")))
    }))

  it("is planned without forbidden kinds, with a warning", () =>
    serve(
      listsOf("budget-walled"),
      async (kubeconfig) => {
        const { code, stderr } = await runPlanDrain("n1", "--kubeconfig", kubeconfig)
        assert.strictEqual(code, 0)
        assert.include(stderr, "rollcall: warning: planned without any PodDisruptionBudget: ")
      },
      ["/apis/policy/v1/poddisruptionbudgets"]
    ))

  it("cannot be planned without its pods: exit 1", () =>
    serve(
      listsOf("budget-walled"),
      async (kubeconfig) => {
        const { code, stderr, stdout } = await runPlanDrain("n1", "--kubeconfig", kubeconfig)
        assert.strictEqual(code, 1)
        assert.strictEqual(stdout, "")
        assert.include(stderr, "forbidden")
      },
      ["/api/v1/pods"]
    ))
})

describe("rollcall plan drain", () => {
  const several = ["--snapshot", exampleFile("several-nodes", "cluster.yaml")]
  const nodesOf = ({ nodes }: JsonPlan) => nodes.map(({ name }) => name)

  it("drains nodes in the given order, each once; by labels in the order of their names", async () => {
    assert.deepStrictEqual(nodesOf(await planAsJson("n2", "n1", "n2", ...several)), ["n2", "n1"])
    const byLabel = await planAsJson("-l", "topology.kubernetes.io/zone=zone-a", ...several)
    assert.deepStrictEqual(nodesOf(byLabel), ["n1", "n4"])
  })

  it("schedules no pod on a node that is drained later", async () => {
    const { nodes } = await planAsJson("n1", "n2", ...several)
    const landings = nodes.flatMap(({ pods }) => pods.map(({ replacement }) => replacement?.node))
    assert.isTrue(
      landings.every((node) => node === "n3" || node === "n4"),
      landings.join()
    )
  })

  it("ignores pods that --pod-selector does not select", async () => {
    const { nodes } = await planAsJson("n1", "--pod-selector", "app=api", ...several)
    assert.deepStrictEqual(
      nodes[0]?.pods.map(({ name }) => name),
      ["api-7d4b9c6f58-9mvd4"]
    )
  })

  it("ignores budgets with --disable-eviction", async () => {
    const walled = ["--snapshot", exampleFile("budget-walled", "cluster.yaml")]
    const { blocked, nodes } = await planAsJson("n1", "--disable-eviction", ...walled)
    assert.isFalse(blocked)
    assert.strictEqual(nodes[0]?.outcome, "drained")
  })

  it("accepts nodes with their type, like kubectl", async () => {
    assert.deepStrictEqual(nodesOf(await planAsJson("node/n2", "no/n1", "n2", ...several)), ["n2", "n1"])
  })

  it("reports objects that pods refer to and the snapshot lacks", async () => {
    const documents = read("daemon-set-ignored", "cluster.yaml").split(/^---\n/m)
    const files = makeFolder({
      "some.yaml": documents.filter((text) => !/^kind: (Daemon|Replica)Set$/m.test(text)).join("---\n")
    })
    const args = ["n1", "--ignore-daemonsets", "--snapshot", files("some.yaml")]
    const { code, stderr, stdout } = await runPlanDrain(...args)
    assert.strictEqual(code, 0)
    assert.match(stderr, /warning: the snapshot lacks 1 DaemonSet of \d Pods \(.*\): they are assumed to exist/)
    assert.match(
      stderr,
      /warning: the snapshot lacks 1 ReplicaSet of \d Pods? \(.*\): their numbers of replicas are not known/
    )
    assert.include(stderr, "warning: rollcall snapshot takes all kinds")
    assert.notInclude(stdout, "not found")
    assert.include(stdout, "Nothing blocks.")
    assert.match(stdout, /\nNot known\n {2}the snapshot lacks 1 ReplicaSet/)
    const { gaps } = JSON.parse((await runPlanDrain(...args, "-o", "json")).stdout)
    assert.deepStrictEqual(
      gaps.map(({ kind }: { readonly kind: string }) => kind),
      ["ReplicaSet", "DaemonSet"]
    )
  })

  it("does not claim that nodes are empty if pods are not known", async () => {
    const nodes = makeFolder({ "n.yaml": "apiVersion: v1\nkind: Node\nmetadata: { name: n1 }\n" })
    const { code, stderr, stdout } = await runPlanDrain("n1", "--snapshot", nodes("n.yaml"))
    assert.strictEqual(code, 0)
    assert.include(stderr, "the snapshot has no Pod: the pods on its nodes are not known")
    assert.include(stdout, "Draining n1: which pods leave, and for how long, is not known.\n")
    assert.include(stdout, "n1: cordoned, its pods are not known")
  })

  it("does not claim that nothing blocks if budgets are not known", async () => {
    const documents = read("budget-walled", "cluster.yaml").split(/^---\n/m)
    const files = makeFolder({
      "some.yaml": documents.filter((text) => !/^kind: PodDisruptionBudget/m.test(text)).join("---\n")
    })
    const { code, stderr, stdout } = await runPlanDrain("n1", "--snapshot", files("some.yaml"))
    assert.strictEqual(code, 0)
    assert.include(stderr, "the snapshot has no PodDisruptionBudget: whether a budget blocks an eviction is not known")
    assert.include(stdout, "Nothing known blocks it; budgets are not known.")
    const past = await runPlanDrain("n1", "--disable-eviction", "--snapshot", files("some.yaml"))
    assert.include(past.stdout, "Nothing blocks.")
    assert.strictEqual(past.stderr, "")
  })

  it("reads JSON regardless of the file name", async () => {
    const items = parseAllDocuments(read("budget-waits", "cluster.yaml")).map((document) => document.toJS())
    const files = makeFolder({ cluster: JSON.stringify({ apiVersion: "v1", kind: "List", items }) })
    const result = await planAsJson("n1", "--snapshot", files("cluster"))
    assert.deepStrictEqual(result, JSON.parse(read("budget-waits", "plan.json")))
  })

  it("reads a snapshot from several files", async () => {
    const [head = "", ...pods] = read("budget-walled", "cluster.yaml").split(/^---\n(?=apiVersion: v1\nkind: Pod)/m)
    const files = makeFolder({ "head.yaml": head, "pods.yaml": pods.join("---\n") })
    const result = await planAsJson("n1", "--snapshot", files("head.yaml"), "--snapshot", files("pods.yaml"))
    assert.deepStrictEqual(result, JSON.parse(read("budget-walled", "plan.json")))
  })
})

describe("wrong input", () => {
  const files = makeFolder({
    "empty.yaml": "",
    "pods.yaml": "apiVersion: v1\nkind: Pod\nmetadata: { name: p, namespace: d }\nspec: { containers: [] }\n",
    "bad.yaml": "apiVersion: v1\nkind: Node\nmetadata: { name: n1 }\nspec: { unschedulable: perhaps }\n",
    "homeless.yaml":
      "apiVersion: v1\nkind: Node\nmetadata: { name: n1 }\n---\napiVersion: v1\nkind: Pod\nmetadata: { name: p }\nspec: { containers: [] }\n"
  })
  const good = ["--snapshot", exampleFile("several-nodes", "cluster.yaml")]
  const cases: ReadonlyArray<readonly [args: ReadonlyArray<string>, message: string]> = [
    [["n1"], "a cluster is required: give --snapshot or --kubeconfig"],
    [["n1", "--kubeconfig", "x", ...good], "--snapshot and --kubeconfig exclude each other"],
    [["n1", "--kubeconfig", files("none")], "no such file"],
    [["n1", "--snapshot", files("none.yaml")], "no such file"],
    [["n1", "--snapshot", files("empty.yaml")], "is empty, expected YAML or JSON"],
    [["n1", "--snapshot", files("pods.yaml")], "holds no Node"],
    [["n1", "--snapshot", files("bad.yaml")], "spec.unschedulable"],
    [["n1", "--snapshot", files("homeless.yaml")], "document 2.metadata.namespace: is required"],
    [good, "NODE: the nodes to drain are required: give their names or --selector"],
    [["n9", ...good], 'NODE: no node "n9" in the cluster; did you mean'],
    [["elsewhere", ...good], 'no node "elsewhere" in the cluster, which has n1, n2, n3, n4'],
    [["n1,n2", ...good], "separate names with spaces: n1 n2"],
    [["n1", "--snapshot", join(examples, "../../docs/pictures")], "is a folder without .json, .yaml or .yml files"],
    [["n1", "-l", "a=b", ...good], "node names and --selector exclude each other"],
    [["-l", "a=b", ...good], 'no node has the labels "a=b"'],
    [["-l", "a in (", ...good], '--selector: found "a in (", expected a label selector'],
    [["n1", "--pod-selector", "=,=", ...good], '--pod-selector: found "=,=", expected a label selector'],
    [["n1", "--timeout", "soon", ...good], '--timeout: found "soon", expected a duration such as 90s or 5m'],
    [
      ["n1", "--skip-wait-for-delete-timeout", "-1", ...good],
      '"--skip-wait-for-delete-timeout" flag: value out of range; expected a whole number of at least 0'
    ],
    [["n1", "--ignore-daemonset", ...good], "--ignore-daemonsets"],
    [["n1", "-o", "xml", ...good], "xml"]
  ]
  for (const [args, message] of cases) {
    it(`exits 2 with: ${message}`, async () => {
      const { code, stderr, stdout } = await runPlanDrain(...args)
      assert.strictEqual(code, 2)
      assert.strictEqual(stdout, "")
      assert.include(stderr, message)
    })
  }
})

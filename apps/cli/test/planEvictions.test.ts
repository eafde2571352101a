import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, beforeAll, describe, it } from "vitest"
import { parseAllDocuments } from "yaml"
import { makeFolder, run } from "./cli.ts"
import { respondWithLists, serveCluster } from "./servedCluster.ts"

const examples = fileURLToPath(new URL("../../../examples/evictions", import.meta.url))
const exampleFile = (name: string, file: string) => join(examples, name, file)
const read = (name: string, file: string) => readFileSync(exampleFile(name, file), "utf8")
const argsOf = (name: string) =>
  read(name, "args.txt")
    .trim()
    .split(" ")
    .filter((arg) => arg !== "")

const runPlanEvictions = (...args: ReadonlyArray<string>) => run("plan", "evictions", ...args)

/** The first command loads the planner. */
beforeAll(() => runPlanEvictions(), 60_000)

interface Moment {
  readonly at: string
  readonly inSeconds: number
}

interface JsonForecast {
  readonly asOf: string
  readonly allZonesDown: boolean
  readonly zones: ReadonlyArray<{ readonly zone: string; readonly nodesPerSecond: number; readonly stoppedBy?: string }>
  readonly nodes: ReadonlyArray<{
    readonly name: string
    readonly silent: boolean
    readonly becomesUnknown?: Moment
    readonly turn?: Moment
    readonly pods: ReadonlyArray<{ readonly name: string; readonly outcome: string; readonly deleted?: Moment }>
  }>
}

const forecastAsJson = async (...args: ReadonlyArray<string>): Promise<JsonForecast> => {
  const { code, stderr, stdout } = await runPlanEvictions(...args, "-o", "json")
  assert.strictEqual(code, 0, stderr)
  return JSON.parse(stdout)
}

describe("the examples", () => {
  const names = readdirSync(examples)

  it("are many", () => {
    assert.isAtLeast(names.length, 10)
  })

  for (const name of names) {
    const args = [...argsOf(name), "--snapshot", exampleFile(name, "cluster.yaml")]

    it(`${name}: is forecast as text`, async () => {
      assert.deepStrictEqual(await runPlanEvictions(...args), { code: 0, stdout: read(name, "plan.txt"), stderr: "" })
    })

    it(`${name}: is forecast as JSON`, async () => {
      assert.deepStrictEqual(await forecastAsJson(...args), JSON.parse(read(name, "plan.json")))
    })
  }

  it("match the documentation", () => {
    const page = readFileSync(join(examples, "../../docs/how-to/read-an-outage.md"), "utf8")
    const shown = [...page.matchAll(/<!-- output of: examples\/evictions\/(\S+) -->\n```text\n([^`]*)```/g)]
    assert.isAtLeast(shown.length, 3)
    for (const [, name = "", text] of shown) assert.strictEqual(text, read(name, "plan.txt"))
  })
})

const paths: Readonly<Record<string, string>> = {
  Node: "/api/v1/nodes",
  Pod: "/api/v1/pods",
  Lease: "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"
}

/** Returns the objects of an example as an API server lists them: by path, without the kind in the items. */
const listsOf = (name: string): ReadonlyMap<string, ReadonlyArray<object>> => {
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
    name: string,
    forbidden: ReadonlyArray<string>,
    body: (kubeconfig: string, asked: ReadonlyArray<string>) => Promise<void>
  ) => serveCluster(respondWithLists(listsOf(name), forbidden), (at, asked) => body(at("kubeconfig"), asked))

  it("is forecast as of now, with reads only: evictions of an old snapshot are overdue", () =>
    serve("tolerations", [], async (kubeconfig, asked) => {
      const { nodes } = await forecastAsJson("a-0", "--kubeconfig", kubeconfig)
      const then = JSON.parse(read("tolerations", "plan.json"))
      const deletions = (pods: JsonForecast["nodes"][number]["pods"]) =>
        pods.flatMap((pod) => (pod.deleted === undefined ? [] : [[pod.name, pod.deleted.at]]))
      assert.deepStrictEqual(deletions(nodes[0]?.pods ?? []), deletions(then.nodes[0].pods))
      assert.isTrue(nodes[0]?.pods.every(({ deleted }) => (deleted?.inSeconds ?? -1) < 0))
      assert.include(
        (await runPlanEvictions("a-0", "--kubeconfig", kubeconfig)).stdout,
        "Some deletions are long overdue"
      )
      assert.lengthOf(asked, 6)
      for (const request of asked) {
        assert.isTrue(request.startsWith("GET "), request)
        assert.notInclude(request, "watch=")
      }
    }))

  it("is forecast without forbidden Leases, with a warning", () =>
    serve("just-silent", [paths.Lease ?? ""], async (kubeconfig) => {
      const { code, stderr, stdout } = await runPlanEvictions("--kubeconfig", kubeconfig)
      assert.strictEqual(code, 0)
      assert.include(stderr, "rollcall: warning: no Lease of kube-node-lease can be read")
      assert.match(stdout, /no node is known to be unhealthy\.$/m)
      assert.notInclude(stdout, "no pod is evicted")
      const json = await runPlanEvictions("--kubeconfig", kubeconfig, "-o", "json")
      assert.strictEqual(JSON.parse(json.stdout).gaps[0].kind, "Lease")
    }))

  it("cannot be forecast without its pods: exit 1", () =>
    serve("just-silent", ["/api/v1/pods"], async (kubeconfig) => {
      const { code, stderr, stdout } = await runPlanEvictions("--kubeconfig", kubeconfig)
      assert.strictEqual(code, 1)
      assert.strictEqual(stdout, "")
      assert.include(stderr, "forbidden")
    }))
})

describe("rollcall plan evictions", () => {
  const snapshot = (name: string) => ["--snapshot", exampleFile(name, "cluster.yaml")]

  it("reports only the named nodes, with or without their type", async () => {
    const { nodes, zones } = await forecastAsJson("b-1", "node/b-3", ...snapshot("zone-outage"))
    assert.deepStrictEqual(
      nodes.map(({ name }) => name),
      ["b-1", "b-3"]
    )
    assert.lengthOf(zones, 2)
    const { stdout } = await runPlanEvictions("a-0", ...snapshot("zone-outage"))
    assert.include(stdout, "all requested nodes are healthy")
  })

  it("obeys the settings of kube-controller-manager", async () => {
    const silent = snapshot("just-silent")
    const noticed = async (...args: ReadonlyArray<string>) =>
      (await forecastAsJson(...silent, ...args)).nodes[0]?.becomesUnknown?.inSeconds ?? 0
    const usual = await noticed()
    assert.approximately(await noticed("--node-monitor-grace-period", "80s"), usual + 30, 0.11)
    assert.isBelow(await noticed("--release", "1.31"), usual - 9)

    const turns = async (...args: ReadonlyArray<string>) => {
      const { nodes } = await forecastAsJson(...snapshot("zone-outage"), ...args)
      return nodes.flatMap(({ turn }) => (turn === undefined ? [] : [turn.inSeconds])).toSorted((a, b) => a - b)
    }
    const [first = 0, second = 0] = await turns("--node-eviction-rate", "0.05")
    assert.approximately(second - first, 20, 0.11)

    const stopped = async (...args: ReadonlyArray<string>) =>
      (await forecastAsJson(...snapshot("small-zone-partial"), ...args)).zones.map(({ stoppedBy }) => stoppedBy)
    assert.deepStrictEqual(await stopped(), ["partial-disruption", undefined])
    assert.deepStrictEqual(await stopped("--unhealthy-zone-threshold", "0.7"), [undefined, undefined])
    assert.deepStrictEqual(await stopped("--large-cluster-size-threshold", "4"), [undefined, undefined])
  })

  it("uses the time of a snapshot, even if its latest timestamp is old", async () => {
    const { asOf, nodes } = await forecastAsJson(...snapshot("just-silent"), "--as-of", "2026-01-01T00:01:10Z")
    assert.strictEqual(asOf, "2026-01-01T00:01:10Z")
    assert.approximately(nodes.find(({ name }) => name === "a-1")?.becomesUnknown?.inSeconds ?? 0, 3, 1)
  })

  it("accepts lists from kubectl, and ignores other kinds", async () => {
    const items = parseAllDocuments(read("zone-outage", "cluster.yaml")).map((document) => document.toJS())
    const more = { apiVersion: "v1", kind: "Service", metadata: { name: "s", namespace: "d" }, spec: {} }
    const leader = {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name: "b-1", namespace: "kube-system" },
      spec: { renewTime: "2026-01-01T09:00:00.000000Z" }
    }
    const files = makeFolder({
      cluster: JSON.stringify({ apiVersion: "v1", kind: "List", items: [...items, more, leader] })
    })
    assert.deepStrictEqual(
      await forecastAsJson("--snapshot", files("cluster")),
      JSON.parse(read("zone-outage", "plan.json"))
    )
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
  const good = ["--snapshot", exampleFile("zone-outage", "cluster.yaml")]
  const cases: ReadonlyArray<readonly [args: ReadonlyArray<string>, message: string]> = [
    [[], "a cluster is required: give --snapshot or --kubeconfig"],
    [["--kubeconfig", "x", ...good], "--snapshot and --kubeconfig exclude each other"],
    [["--kubeconfig", files("none")], "no such file"],
    [["--snapshot", files("none.yaml")], "no such file"],
    [["--snapshot", files("empty.yaml")], "is empty, expected YAML or JSON"],
    [["--snapshot", files("pods.yaml")], "holds no Node"],
    [["--snapshot", files("bad.yaml")], "spec.unschedulable"],
    [["--snapshot", files("homeless.yaml")], "document 2.metadata.namespace: is required"],
    [["b-9", ...good], 'NODE: no node "b-9" in the cluster; did you mean'],
    [["b-1,b-2", ...good], "separate names with spaces: b-1 b-2"],
    [["--release", "1.5", ...good], '--release: found "1.5", expected one of 1.4, 1.26'],
    [
      ["--node-monitor-grace-period", "soon", ...good],
      '--node-monitor-grace-period: found "soon", expected a duration'
    ],
    [["--node-eviction-rate", "-1", ...good], "--node-eviction-rate: found -1, expected 0 or more"],
    [["--large-cluster-size-threshold", "-1", ...good], "found -1, expected 0 or more"],
    [["--as-of", "noon", ...good], '--as-of: found "noon", expected a time such as'],
    [["--as-of", "2026-01-01T00:00:00Z", "--kubeconfig", "x"], "--as-of: --as-of is the time of a snapshot"],
    [["--node-eviction-rat", "1", ...good], "--node-eviction-rate"],
    [["-o", "xml", ...good], "xml"]
  ]
  for (const [args, message] of cases) {
    it(`exits 2 with: ${message}`, async () => {
      const { code, stderr, stdout } = await runPlanEvictions(...args)
      assert.strictEqual(code, 2)
      assert.strictEqual(stdout, "")
      assert.include(stderr, message)
    })
  }
})

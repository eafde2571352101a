import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { makeFolder, run } from "./cli.ts"
import { type Responder, serveCluster } from "./servedCluster.ts"

const examples = fileURLToPath(new URL("../../../examples/shutdown", import.meta.url))

const runPlanShutdown = (...args: ReadonlyArray<string>) => run("plan", "shutdown", ...args)

describe("the examples", () => {
  const names = readdirSync(examples)

  it("are many, good and bad", () => {
    assert.isAtLeast(names.length, 12)
  })

  it("match the documentation", () => {
    const page = readFileSync(join(examples, "../../docs/how-to/plan-a-shutdown.md"), "utf8")
    const shown = /<!-- output of: examples\/shutdown\/(\S+) -->\n```text\n([^`]*)```/.exec(page)
    assert.strictEqual(shown?.[2], readFileSync(join(examples, shown?.[1] ?? "", "plan.txt"), "utf8"))
  })

  for (const name of names) {
    const at = (file: string) => join(examples, name, file)
    const read = (file: string) => readFileSync(at(file), "utf8")
    const args = ["--config", at("kubelet.yaml"), ...(existsSync(at("pods.yaml")) ? ["--pods", at("pods.yaml")] : [])]

    if (existsSync(at("refused.txt"))) {
      it(`${name}: is refused with exit 2 and a message`, async () => {
        for (const output of ["table", "json"]) {
          const { code, stderr, stdout } = await runPlanShutdown(...args, "-o", output)
          assert.strictEqual(code, 2)
          assert.strictEqual(stdout, "")
          assert.strictEqual(stderr.replaceAll(at("/"), ""), read("refused.txt"))
        }
      })
      continue
    }

    it(`${name}: is planned as text`, async () => {
      assert.deepStrictEqual(await runPlanShutdown(...args), { code: 0, stdout: read("plan.txt"), stderr: "" })
    })

    it(`${name}: is planned as JSON`, async () => {
      const { code, stdout } = await runPlanShutdown(...args, "--output", "json")
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(JSON.parse(stdout), JSON.parse(read("plan.json")))
    })
  }
})

const kubelet = (more = "") => `apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n${more}`
const gracefulKubelet = kubelet("shutdownGracePeriod: 30s\nshutdownGracePeriodCriticalPods: 10s\n")
const pod = (name: string, more = "") =>
  `apiVersion: v1\nkind: Pod\nmetadata: { name: ${name} }\nspec: { containers: [{ name: c, image: x }]${more} }\n`

interface JsonPlan {
  readonly node?: string
  readonly delaySeconds: number
  readonly overridesDelay: boolean
  readonly phases: ReadonlyArray<{
    readonly pods: ReadonlyArray<{ readonly name: string; readonly priority: number; readonly graceSeconds: number }>
  }>
  readonly findings: ReadonlyArray<{ readonly code: string }>
}

const planAsJson = async (...args: ReadonlyArray<string>): Promise<JsonPlan> => {
  const { code, stderr, stdout } = await runPlanShutdown(...args, "-o", "json")
  assert.strictEqual(code, 0, stderr)
  return JSON.parse(stdout)
}

const podsOf = ({ phases }: JsonPlan) =>
  phases.map(({ pods }) => pods.map(({ graceSeconds, name, priority }) => `${name} ${priority} ${graceSeconds}s`))

describe("rollcall plan shutdown", () => {
  it("plans without pods: the buckets, and remarks on them", async () => {
    const at = makeFolder({ "kubelet.yaml": gracefulKubelet })
    const { stdout } = await runPlanShutdown("--config", at("kubelet.yaml"))
    assert.include(stdout, "A shutdown of the node (Kubernetes 1.36) takes at most 30s.")
    assert.notInclude(stdout, "nobody")
    const { findings } = await planAsJson("--config", at("kubelet.yaml"))
    assert.deepStrictEqual(
      findings.map(({ code }) => code),
      ["logind-override"]
    )
  })

  it("applies the API's defaults: the grace period, and the priority of a class", async () => {
    const high =
      "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: { name: high }\nvalue: 7\nglobalDefault: true\n"
    const at = makeFolder({
      "kubelet.yaml": gracefulKubelet,
      "pods.yaml": [
        high,
        pod("usual"),
        pod("named", ", priorityClassName: high, terminationGracePeriodSeconds: 3"),
        pod("system", ", priorityClassName: system-node-critical")
      ].join("---\n")
    })
    assert.deepStrictEqual(podsOf(await planAsJson("--config", at("kubelet.yaml"), "--pods", at("pods.yaml"))), [
      ["usual 7 20s", "named 7 3s"],
      ["system 2000001000 10s"]
    ])
  })

  it("reads a list from kubectl, and leaves out terminated pods", async () => {
    const item = (name: string, phase: string) => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: "default" },
      spec: { nodeName: "n1", containers: [{ name: "c", image: "x" }], priority: 0, terminationGracePeriodSeconds: 5 },
      status: { phase }
    })
    const list = { apiVersion: "v1", kind: "List", items: [item("web", "Running"), item("done", "Succeeded")] }
    const at = makeFolder({ "kubelet.yaml": gracefulKubelet, "pods.json": JSON.stringify(list) })
    const result = await planAsJson("--config", at("kubelet.yaml"), "--pods", at("pods.json"))
    assert.strictEqual(result.node, "n1")
    assert.deepStrictEqual(podsOf(result), [["web 0 5s"], []])
  })

  it("plans one node of several", async () => {
    const at = makeFolder({
      "kubelet.yaml": gracefulKubelet,
      "pods.yaml": ["a", "b", "c"].map((node) => pod(`on-${node}`, `, nodeName: ${node}-0`)).join("---\n")
    })
    const args = ["--config", at("kubelet.yaml"), "--pods", at("pods.yaml")]
    assert.deepStrictEqual(podsOf(await planAsJson(...args, "--node", "b-0")), [["on-b 0 20s"], []])
    const { code, stderr } = await runPlanShutdown(...args)
    assert.strictEqual(code, 2)
    assert.strictEqual(
      stderr,
      `rollcall: command line: --node: a node is required: ${at("pods.yaml")} has 3 nodes, a-0, b-0, c-0\n`
    )
    const wrong = await runPlanShutdown(...args, "--node", "bb-0")
    assert.strictEqual(wrong.code, 2)
    assert.include(wrong.stderr, `no node "bb-0" in ${at("pods.yaml")}; did you mean "b-0"?`)
  })

  it("obeys the limit of logind", async () => {
    const at = makeFolder({ "kubelet.yaml": gracefulKubelet })
    const args = ["--config", at("kubelet.yaml"), "--inhibit-delay-max-sec"]
    assert.isFalse((await planAsJson(...args, "30")).overridesDelay)
    assert.isTrue((await planAsJson(...args, "29")).overridesDelay)
  })

  it("merges drop-ins", async () => {
    const at = makeFolder({ "kubelet.yaml": gracefulKubelet, "10-more.conf": kubelet("shutdownGracePeriod: 70s\n") })
    const { delaySeconds } = await planAsJson("--config", at("kubelet.yaml"), "--config-dir", at("."))
    assert.strictEqual(delaySeconds, 70)
    const none = await runPlanShutdown("--config", at("kubelet.yaml"), "--config-dir", at("none"))
    assert.strictEqual(none.code, 2)
    assert.include(none.stderr, `${at("none")}: no such folder`)
  })

  it("depends on the release", async () => {
    const at = makeFolder({ "kubelet.yaml": gracefulKubelet })
    assert.strictEqual((await runPlanShutdown("--config", at("kubelet.yaml"), "--release", "1.26")).code, 0)
    const { code, stderr } = await runPlanShutdown("--config", at("kubelet.yaml"), "--release", "1.4")
    assert.strictEqual(code, 2)
    assert.include(stderr, "requires feature gate GracefulNodeShutdown")
  })

  it("warns of unknown fields, and ignores unrelated ones", async () => {
    const at = makeFolder({ "kubelet.yaml": kubelet("staticPodURL: http://x\nshutdownGracePeriod: 30s\nzzz: 1\n") })
    const { code, stderr } = await runPlanShutdown("--config", at("kubelet.yaml"))
    assert.strictEqual(code, 0)
    assert.strictEqual(stderr, `rollcall: warning: ${at("kubelet.yaml")}: strict decoding error: unknown field "zzz"\n`)
  })

  it("counts pods that are too many to list", async () => {
    const pods = Array.from({ length: 30 }, (_, index) => pod(`p${index}`)).join("---\n")
    const at = makeFolder({ "kubelet.yaml": gracefulKubelet, "pods.yaml": pods })
    const { stdout } = await runPlanShutdown("--config", at("kubelet.yaml"), "--pods", at("pods.yaml"))
    assert.match(stdout, / p10 +20s/)
    assert.notMatch(stdout, / p11 +20s/)
    assert.include(stdout, "and 19 more")
  })
})

describe("the pods of a cluster", () => {
  /** Serves two nodes, and the pods of the requested one. */
  const serve = (body: (at: (name: string) => string, asked: ReadonlyArray<string>) => Promise<void>) => {
    const answers: Responder = (url) => {
      const areNodes = url.startsWith("/api/v1/nodes")
      const item = (name: string) =>
        areNodes
          ? { metadata: { name } }
          : { metadata: { name, namespace: "default" }, spec: { nodeName: "n1", containers: [], priority: 0 } }
      const items = (areNodes ? ["n1", "n2"] : ["web"]).map(item)
      return { code: 200, body: { metadata: { resourceVersion: "1" }, items } }
    }
    return serveCluster(answers, body, { "kubelet.yaml": gracefulKubelet })
  }

  it("are read for the requested node, and nothing is written", () =>
    serve(async (at, asked) => {
      const args = ["--config", at("kubelet.yaml"), "--kubeconfig", at("kubeconfig")]
      const result = await planAsJson(...args, "--node", "n1")
      assert.strictEqual(result.node, "n1")
      assert.deepStrictEqual(podsOf(result), [["web 0 20s"], []])
      assert.isTrue(asked.every((request) => request.startsWith("GET ")))
      assert.isTrue(asked.some((request) => request.includes("fieldSelector=spec.nodeName=n1")))
      const several = await runPlanShutdown(...args)
      assert.strictEqual(several.code, 2)
      assert.include(several.stderr, "--node: a node is required: the cluster has 2 nodes, n1, n2")
    }))

  it("cannot be read from an unreachable cluster: exit 1", async () => {
    await serve(async (at) => {
      const kubeconfig = JSON.parse(readFileSync(at("kubeconfig"), "utf8"))
      kubeconfig.clusters[0].cluster.server = "http://127.0.0.1:1"
      const away = makeFolder({ kubeconfig: JSON.stringify(kubeconfig) })
      const { code, stderr } = await runPlanShutdown("--config", at("kubelet.yaml"), "--kubeconfig", away("kubeconfig"))
      assert.strictEqual(code, 1)
      assert.include(stderr, "127.0.0.1:1")
    })
  })
})

describe("wrong input", () => {
  const at = makeFolder({
    "kubelet.yaml": gracefulKubelet,
    "scheduler.yaml": "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n",
    "list.yaml": "[1, 2]",
    "broken.yaml": "a: [",
    "empty.yaml": "",
    "nodes.yaml": "apiVersion: v1\nkind: Node\nmetadata: { name: a }\n",
    "pod.yaml": pod("p", ", priority: high"),
    "class.yaml": pod("p", ", priorityClassName: system-node-criticl"),
    "pods.yaml": pod("p")
  })
  const config = ["--config", at("kubelet.yaml")]
  const cases: ReadonlyArray<readonly [args: ReadonlyArray<string>, message: string]> = [
    [[], 'required flag(s) "config" not set'],
    [["--config", at("none.yaml")], `${at("none.yaml")}: no such file`],
    [["--config", at("empty.yaml")], `${at("empty.yaml")}: is empty, expected YAML or JSON`],
    [["--config", at("broken.yaml")], "not YAML"],
    [["--config", at("list.yaml")], "found [1,2], expected a KubeletConfiguration"],
    [
      ["--config", at("scheduler.yaml")],
      'apiVersion: found "kubescheduler.config.k8s.io/v1", expected kubelet.config.k8s.io/v1beta1'
    ],
    [[...config, "--pods", at("none.yaml")], `${at("none.yaml")}: no such file`],
    [[...config, "--pods", at("nodes.yaml")], `${at("nodes.yaml")}: holds no Pod`],
    [[...config, "--pods", at("pod.yaml")], `${at("pod.yaml")}:4: spec.priority: found "high", expected`],
    [
      [...config, "--pods", at("class.yaml")],
      'spec.priorityClassName: no PriorityClass "system-node-criticl" in the file; did you mean "system-node-critical"?'
    ],
    [[...config, "--pods", at("pods.yaml"), "--kubeconfig", "x"], "--pods and --kubeconfig exclude each other"],
    [[...config, "--kubeconfig", at("none")], "no such file"],
    [[...config, "--node", "a"], "--node: --node selects a node of a source: give --pods or --kubeconfig too"],
    [
      [...config, "--release", "1.63"],
      '--release: found "1.63", expected one of 1.4, 1.26, 1.31, 1.35, 1.36; did you mean'
    ],
    [
      [...config, "--inhibit-delay-max-sec", "-1"],
      '"--inhibit-delay-max-sec" flag: value out of range; expected a whole number of at least 0'
    ],
    [[...config, "-o", "xml"], "xml"],
    [[...config, "--pod", "x"], "--pods"]
  ]
  for (const [args, message] of cases) {
    it(`exits 2 and says: ${message.replaceAll(at(""), "")}`, async () => {
      const { code, stderr, stdout } = await runPlanShutdown(...args)
      assert.strictEqual(code, 2)
      assert.strictEqual(stdout, "")
      assert.include(stderr, message)
    })
  }
})

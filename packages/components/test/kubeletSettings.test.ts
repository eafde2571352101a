import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { ineffectiveFlag, readFlags } from "@rollcall/flags"
import { kubeletConfig } from "@rollcall/kubelet"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { afterAll, assert, describe, it } from "vitest"
import { Host } from "../src/host/Host.ts"
import { kubeletProgram } from "../src/programs/kubelet.ts"
import { kubeletSettingsOf } from "../src/programs/kubeletSettings.ts"

const fixture = (name: string) => fileURLToPath(new URL(`../../kubelet/test/fixtures/${name}`, import.meta.url))

const host = Host.of({
  environment: {},
  hostname: " Ubuntu-1 ",
  homeFolder: "/home",
  temporaryFolder: "/tmp",
  wallClockMs: Date.now,
  processId: 1,
  print: () => {},
  log: () => {},
  output: () => {},
  error: () => {},
  stdin: () => Promise.resolve("")
})

/** What a command line comes to; the warnings of flags stand first. */
const settingsOfCommandLine = async (...args: ReadonlyArray<string>) => {
  const parsed = Result.getOrThrow(readFlags(kubeletProgram, args))
  const settings = await kubeletSettingsOf(parsed.values).pipe(
    Effect.provideService(Host, host),
    Effect.provide(NodeServices.layer),
    Effect.runPromise
  )
  return { ...settings, warnings: [...[...parsed.ineffective.keys()].map(ineffectiveFlag), ...settings.warnings] }
}

const root = mkdtempSync(join(tmpdir(), "rollcall-kubelet-"))
afterAll(() => rmSync(root, { recursive: true }))
let folders = 0

/** A fresh folder of configurations; a text stands as it is. */
const makeFolder = (files: Readonly<Record<string, object | string>>) => {
  const at = join(root, String(folders++))
  const meta = { apiVersion: "kubelet.config.k8s.io/v1beta1", kind: "KubeletConfiguration" }
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(at, name)), { recursive: true })
    writeFileSync(join(at, name), typeof content === "string" ? content : JSON.stringify({ ...meta, ...content }))
  }
  return (name: string) => join(at, name)
}

describe("the configuration that a distribution writes", () => {
  const distributions: ReadonlyArray<readonly [file: string, outside: string, then: object]> = [
    [
      "kubeadm.yaml",
      "cgroupDriver clusterDNS clusterDomain containerRuntimeEndpoint logging runtimeRequestTimeout streamingConnectionIdleTimeout volumeStatsAggPeriod",
      { staticPodPath: "/etc/kubernetes/manifests" }
    ],
    [
      "eks.json",
      "cgroupDriver cgroupRoot clusterDNS clusterDomain containerRuntimeEndpoint hairpinMode kubeReservedCgroup logging protectKernelDefaults systemReservedCgroup tlsCipherSuites featureGates.RotateKubeletServerCertificate",
      {
        maxPods: 29,
        serializeImagePulls: false,
        providerID: "aws:///us-west-2c/i-0123456789abcdef0",
        kubeReserved: { cpu: "70m", "ephemeral-storage": "1Gi", memory: "574Mi" },
        evictionHard: { "memory.available": "100Mi", "nodefs.available": "10%", "nodefs.inodesFree": "5%" },
        shutdownGracePeriodMs: 150_000,
        shutdownGracePeriodCriticalPodsMs: 30_000
      }
    ],
    [
      "gke.yaml",
      "cgroupRoot clusterDNS clusterDomain hairpinMode kernelMemcgNotification tlsCipherSuites volumePluginDir featureGates.ExecProbeTimeout featureGates.RotateKubeletServerCertificate",
      {
        staticPodPath: "/etc/kubernetes/manifests",
        kubeReserved: { cpu: "1060m", "ephemeral-storage": "41Gi", memory: "1019Mi" },
        evictionHard: {
          "memory.available": "100Mi",
          "nodefs.available": "10%",
          "nodefs.inodesFree": "5%",
          "pid.available": "10%"
        },
        registerWithTaints: [{ key: "node-under-test", value: "false", effect: "NoSchedule" }],
        shutdownGracePeriodMs: 30_000,
        shutdownGracePeriodCriticalPodsMs: 15_000,
        topologyManagerPolicy: "best-effort",
        topologyManagerScope: "pod"
      }
    ],
    [
      "k3s.conf",
      "cgroupDriver clusterDNS clusterDomain containerRuntimeEndpoint logging resolvConf runtimeRequestTimeout streamingConnectionIdleTimeout volumeStatsAggPeriod",
      {
        allowedUnsafeSysctls: ["net.ipv4.ip_forward", "net.ipv6.conf.all.forwarding"],
        evictionHard: { "imagefs.available": "5%", "nodefs.available": "5%" },
        evictionMinimumReclaim: { "imagefs.available": "10%", "nodefs.available": "10%" },
        failSwapOn: false,
        failCgroupV1: false,
        serializeImagePulls: false,
        staticPodPath: "/var/lib/rancher/k3s/agent/pod-manifests"
      }
    ]
  ]
  for (const [file, outside, then] of distributions) {
    it(`${file}: is heeded, but for what lies outside the node subsystem`, async () => {
      const { config, warnings } = await settingsOfCommandLine(`--config=${fixture(file)}`)
      const expected = outside.split(" ").map((name) => `${fixture(file)}: ${name} is not supported and has no effect`)
      assert.deepStrictEqual(warnings, expected)
      // Whatever it does not speak of, zero durations included, is as it is by default.
      assert.deepStrictEqual(config, { ...kubeletConfig(), ...then })
    })
  }

  it("k3s.conf: is a drop-in too", async () => {
    const at = makeFolder({ "k.yaml": { evictionHard: { "memory.available": "1Gi" }, maxPods: 7 }, "d/readme.txt": "" })
    const text = await settingsOfCommandLine(`--config=${at("k.yaml")}`, `--config-dir=${dirname(fixture("k3s.conf"))}`)
    assert.deepStrictEqual(text.config.evictionHard, {
      "memory.available": "1Gi",
      "imagefs.available": "5%",
      "nodefs.available": "5%"
    })
    assert.strictEqual(text.config.maxPods, 7)
  })
})

describe("drop-ins", () => {
  it("are merged in lexical order, those of folders among the files, and nothing but *.conf", async () => {
    const at = makeFolder({
      "k.yaml": { maxPods: 1 },
      "d/10-a.conf": { maxPods: 10, podsPerCore: 1 },
      "d/20/z.conf": { maxPods: 20 },
      "d/15-b.conf": { maxPods: 15 },
      "d/30.yaml": { maxPods: 30 },
      "d/9.conf": "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nmaxPods: 9\nsyncFrequency: 3s"
    })
    const { config } = await settingsOfCommandLine(`--config=${at("k.yaml")}`, `--config-dir=${at("d")}`)
    // 9.conf is behind 20/z.conf: names are texts.
    assert.deepInclude(config, { maxPods: 9, podsPerCore: 1, syncFrequencyMs: 3000 })
  })

  it("merge maps, replace lists, and take away what they say is null", async () => {
    const at = makeFolder({
      "k.yaml": {
        systemReserved: { cpu: "1", memory: "1Gi" },
        allowedUnsafeSysctls: ["a", "b"],
        memorySwap: { swapBehavior: "LimitedSwap" },
        podsPerCore: 3
      },
      "d/a.conf": {
        systemReserved: { cpu: "2", memory: null },
        allowedUnsafeSysctls: ["c"],
        memorySwap: {},
        podsPerCore: null
      }
    })
    const { config } = await settingsOfCommandLine(`--config=${at("k.yaml")}`, `--config-dir=${at("d")}`)
    assert.deepInclude(config, { allowedUnsafeSysctls: ["c"], swapBehavior: "LimitedSwap", podsPerCore: 0 })
    assert.deepStrictEqual(config.systemReserved, { cpu: "2" })
  })

  it("find the defaults filled in already, as kubelet does it", async () => {
    const at = makeFolder({
      "k.yaml": {},
      "d/a.conf": { nodeStatusUpdateFrequency: "20s", evictionHard: { "memory.available": "1Gi" } }
    })
    const over = await settingsOfCommandLine(`--config=${at("k.yaml")}`, `--config-dir=${at("d")}`)
    assert.deepInclude(over.config, { nodeStatusUpdateFrequencyMs: 20_000, nodeStatusReportFrequencyMs: 300_000 })
    assert.strictEqual(Object.keys(over.config.evictionHard).length, 5)
    assert.strictEqual(over.config.evictionHard["memory.available"], "1Gi")

    const own = await settingsOfCommandLine(`--config=${at("d/a.conf")}`)
    assert.strictEqual(own.config.nodeStatusReportFrequencyMs, 20_000)
    assert.deepStrictEqual(own.config.evictionHard, { "memory.available": "1Gi" })

    const alone = await settingsOfCommandLine(`--config-dir=${at("d")}`)
    assert.strictEqual(alone.config.nodeStatusReportFrequencyMs, 300_000)
    assert.deepStrictEqual(alone.config.evictionHard, { "memory.available": "1Gi" })
  })

  it("may leave no threshold, and the file may ask for the default ones beside its own", async () => {
    const at = makeFolder({
      "k.yaml": { evictionHard: { "pid.available": "5%" }, mergeDefaultEvictionSettings: true },
      "none.yaml": { evictionHard: {} },
      "d/a.conf": { evictionHard: null }
    })
    assert.strictEqual(
      Object.keys((await settingsOfCommandLine(`--config=${at("k.yaml")}`)).config.evictionHard).length,
      6
    )
    assert.deepStrictEqual((await settingsOfCommandLine(`--config=${at("none.yaml")}`)).config.evictionHard, {})
    const taken = await settingsOfCommandLine(`--config=${at("k.yaml")}`, `--config-dir=${at("d")}`)
    assert.deepStrictEqual(taken.config.evictionHard, {})
  })
})

describe("flags", () => {
  it("count more than files: they replace maps and lists, and add to feature gates", async () => {
    const at = makeFolder({
      "k.yaml": {
        evictionHard: { "memory.available": "1Gi", "nodefs.available": "5%" },
        systemReserved: { cpu: "1" },
        registerWithTaints: [{ key: "a", effect: "NoSchedule" }],
        featureGates: { MemoryQoS: true, NodeDeclaredFeatures: false }
      }
    })
    const { config } = await settingsOfCommandLine(
      `--config=${at("k.yaml")}`,
      "--eviction-hard=pid.available<10%",
      "--eviction-hard=imagefs.available<1Gi",
      "--system-reserved=memory=2Gi,pid=100",
      "--register-with-taints=b=c:NoExecute",
      "--feature-gates=NodeDeclaredFeatures=true"
    )
    assert.deepStrictEqual(config.evictionHard, { "pid.available": "10%", "imagefs.available": "1Gi" })
    assert.deepStrictEqual(config.systemReserved, { memory: "2Gi", pid: "100" })
    assert.deepStrictEqual(config.registerWithTaints, [{ key: "b", value: "c", effect: "NoExecute" }])
    assert.deepInclude(config.featureGates, { MemoryQoS: true, NodeDeclaredFeatures: true })
  })

  it("come after the defaults: an update frequency leaves the report frequency alone", async () => {
    const { config } = await settingsOfCommandLine("--node-status-update-frequency=20s")
    assert.deepInclude(config, { nodeStatusUpdateFrequencyMs: 20_000, nodeStatusReportFrequencyMs: 300_000 })
  })

  it("say what no file can", async () => {
    const started = await settingsOfCommandLine(
      "--node-ip=10.0.0.1, nonsense,fd00::1",
      "--node-labels=team=blue,plain",
      "--node-labels=node.kubernetes.io/x=y",
      "--cloud-provider=external",
      "--reserved-memory=0:memory=1Gi,hugepages-2Mi=4Mi",
      "--reserved-memory=1:memory=2Gi",
      "--reserved-cpus=0-1,1-3",
      "--kube-reserved=cpu=2,memory=1Gi",
      "--hostname-override= Node-A "
    )
    assert.strictEqual(started.name, "node-a")
    assert.deepInclude(started.config, { externalCloudProvider: true, reservedSystemCPUs: "0-1,1-3" })
    assert.deepStrictEqual(started.config.nodeIPs, ["10.0.0.1", "fd00::1"])
    assert.deepStrictEqual(started.config.nodeLabels, { team: "blue", plain: "", "node.kubernetes.io/x": "y" })
    assert.deepStrictEqual(started.config.reservedMemory, [
      { numaNode: 0, limits: { memory: "1Gi", "hugepages-2Mi": "4Mi" } },
      { numaNode: 1, limits: { memory: "2Gi" } }
    ])
    // CPUs by number stand in for amounts.
    assert.deepStrictEqual(
      [started.config.systemReserved, started.config.kubeReserved],
      [{ cpu: "4" }, { memory: "1Gi" }]
    )
    assert.deepStrictEqual(started.warnings, ["--node-ip: Could not parse some node IP(s), ignoring them: nonsense"])
  })

  it("have the host's name where none is given", async () =>
    assert.strictEqual((await settingsOfCommandLine()).name, "ubuntu-1"))

  it("have other words for health", async () => {
    const health = async (...args: ReadonlyArray<string>) =>
      Object.values((await settingsOfCommandLine(...args)).health)
    assert.deepStrictEqual(await health(), ["127.0.0.1", 10_248])
    assert.deepStrictEqual(await health("--healthz-port=0", "--healthz-bind-address=::1"), ["::1", 0])
    assert.deepStrictEqual(await health("--healthz-port=1", "--secure-port=2", "--bind-address=0.0.0.0"), [
      "0.0.0.0",
      2
    ])
  })

  it("that have no effect say so once, and are checked with the field that they set", async () => {
    const { configuration, warnings } = await settingsOfCommandLine(
      "--cluster-dns=10.0.0.10",
      "--cluster-dns=10.0.0.11",
      "--v=2"
    )
    assert.deepStrictEqual(warnings, ["--cluster-dns is not supported and has no effect"])
    assert.deepStrictEqual(configuration.clusterDNS, ["10.0.0.10", "10.0.0.11"])
  })
})

describe("a kubelet of an earlier release", () => {
  it("takes the flags of its time", async () => {
    const old = await settingsOfCommandLine(
      "--release=1.4",
      "--api-servers=http://10.0.0.1:8080,http://10.0.0.2:8080",
      "--configure-cbr0"
    )
    assert.strictEqual(old.master, "http://10.0.0.1:8080")
    assert.deepStrictEqual(old.warnings, ["--configure-cbr0 is not supported and has no effect"])
    const later = await settingsOfCommandLine("--release=1.26", "--container-runtime", "remote", "--log-dir=/x")
      .then(() => "accepted")
      .catch((error: Error) => error.message)
    assert.include(later, "--log-dir: is no flag of kubelet 1.26 any more")
  })

  it("may label its node as it likes where nobody restricts that yet", async () => {
    const { config } = await settingsOfCommandLine("--release=1.4", "--node-labels=kubernetes.io/role=x")
    assert.deepStrictEqual(config.nodeLabels, { "kubernetes.io/role": "x" })
  })

  it("finds manifests by --config where there was no configuration file yet", async () => {
    const { config, warnings } = await settingsOfCommandLine("--release=1.4", "--config=/etc/kubernetes/manifests")
    assert.strictEqual(config.staticPodPath, "/etc/kubernetes/manifests")
    assert.deepStrictEqual(warnings, [
      "Flag --config has been deprecated, Use --pod-manifest-path instead. Will be removed in a future version."
    ])
  })

  it("has the defaults and the swap behaviours of its time", async () => {
    assert.deepInclude((await settingsOfCommandLine("--release=1.4")).config, {
      nodeStatusReportFrequencyMs: 10_000,
      failSwapOn: false
    })
    assert.deepInclude((await settingsOfCommandLine("--release=1.31")).config, {
      failCgroupV1: false,
      failSwapOn: true
    })
    const at = makeFolder({
      "k.yaml": { featureGates: { NodeSwap: true }, memorySwap: { swapBehavior: "UnlimitedSwap" } }
    })
    const swapping = await settingsOfCommandLine("--release=1.26", `--config=${at("k.yaml")}`)
    assert.strictEqual(swapping.config.swapBehavior, "UnlimitedSwap")
  })
})

describe("a file", () => {
  it("means paths from where it lies", async () => {
    const at = makeFolder({ "etc/k.yaml": { staticPodPath: "manifests" } })
    const { config } = await settingsOfCommandLine(`--config=${at("etc/k.yaml")}`)
    assert.strictEqual(config.staticPodPath, at("etc/manifests"))
  })

  it("is read as Go reads YAML", async () => {
    const head = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
    const at = makeFolder({
      "k.yaml": `${head}failSwapOn: no\nregisterNode: off\nmaxPods: 010\nproviderID: 12:30\npodsPerCore: 0x10\n`
    })
    const { config } = await settingsOfCommandLine(`--config=${at("k.yaml")}`)
    assert.deepInclude(config, {
      failSwapOn: false,
      registerNode: false,
      maxPods: 8,
      providerID: "12:30",
      podsPerCore: 16
    })
  })

  it("may hold fields that nobody knows: kubelet falls back to lenient decoding", async () => {
    const at = makeFolder({ "k.yaml": { zzz: 1, logging: { qqqqq: true } } })
    const file = at("k.yaml")
    assert.deepStrictEqual((await settingsOfCommandLine(`--config=${file}`)).warnings, [
      `${file}: strict decoding error: unknown field "zzz"`,
      `${file}: strict decoding error: unknown field "logging.qqqqq"`,
      `${file}: logging is not supported and has no effect`
    ])
  })
})

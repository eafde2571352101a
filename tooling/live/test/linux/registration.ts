import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { cpus, hostname } from "node:os"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { parseTime } from "@rollcall/api"
import * as Effect from "effect/Effect"
import { rootDirIn, startLinuxKubelet } from "../../src/linux/linuxKubelet.ts"
import { compareNode, tableOfFindings } from "../../src/linux/machineFacts.ts"
import { eventually } from "../../src/process/eventually.ts"
import { kubectlFor, kubectlVersion } from "../../src/process/kubectl.ts"
import { run } from "../../src/process/Program.ts"
import { temporaryFolder } from "../../src/process/rollcall.ts"
import { LinuxCluster, nodeBecomes, podBecomes, podIsDeleted, podNamed, shortPeriods } from "../LinuxCluster.ts"

const name = hostname().trim().toLowerCase()

/** This machine joins under its own name, and its Node reports it correctly. */
const joins = Effect.fnUntraced(function* (folder: string) {
  const { cluster, kubeconfig } = yield* LinuxCluster
  const node = yield* nodeBecomes(name, "Ready", "True")
  const findings = yield* compareNode(node, rootDirIn(folder))
  assert.isTrue(
    findings.every(({ same }) => same),
    tableOfFindings(findings)
  )
  assert.strictEqual(node.metadata.labels?.["kubernetes.io/hostname"], name)
  assert.strictEqual(node.status?.nodeInfo?.containerRuntimeVersion, "rollcall://modelled")

  const renewed = Effect.map(cluster.get("Lease", { namespace: "kube-node-lease", name }), ({ spec }) =>
    parseTime(spec?.renewTime ?? "")
  )
  const first = yield* eventually("the Lease is there", renewed, (at) => at > 0)
  yield* eventually("the Lease is renewed", renewed, (at) => at > first)

  if (kubectlVersion === undefined) return
  const described = yield* kubectlFor(kubeconfig).out("describe", "node", name)
  assert.match(described, new RegExp(`HolderIdentity: +${name}`))
  assert.match(described, /Ready +True .* KubeletReady +kubelet is posting ready status/)
  const written = ["kernel", "OS image", "machine id", "boot id"]
  for (const { about, node: told } of findings) if (written.includes(about)) assert.include(described, told)
})

/** The kubelet warns of cgroup v1, which Kubernetes will stop supporting, and of nothing else. */
const warnsOfCgroups = Effect.gen(function* () {
  const { cluster } = yield* LinuxCluster
  const { stdout } = yield* run("stat", "--file-system", "--format=%T", "/sys/fs/cgroup")
  const reasons = Effect.map(cluster.list("Event", { namespace: "default" }), ({ items }) =>
    items.filter(({ involvedObject }) => involvedObject.name === name).map(({ reason }) => reason)
  )
  const warned = stdout.trim() === "cgroup2fs" ? [] : ["CgroupV1"]
  const expected = ["Starting", "NodeHasSufficientMemory", "NodeHasNoDiskPressure", "NodeHasSufficientPID", ...warned]
  const told = yield* eventually("its start is told of", reasons, (found) =>
    expected.every((reason) => found.includes(reason))
  )
  assert.strictEqual(told.includes("CgroupV1"), warned.length > 0)
})

/** With two CPUs or more, a pod can get an exclusive one. */
const keepsCpus = cpus().length > 1

/** A pod that requests a whole CPU gets an exclusive one. */
const givesCpu = Effect.fnUntraced(function* (folder: string) {
  const { cluster } = yield* LinuxCluster
  const requests = { cpu: "1", memory: "16Mi" }
  const container = { name: "c", image: "registry.k8s.io/pause:3.10", resources: { limits: requests, requests } }
  const { metadata } = yield* cluster.create("Pod", podNamed("alone", { nodeName: name, containers: [container] }))
  yield* podBecomes("alone", "Running")
  const state = JSON.parse(readFileSync(join(rootDirIn(folder), "cpu_manager_state"), "utf8")) as {
    readonly defaultCpuSet: string
    readonly entries: Readonly<Record<string, { readonly c: string }>>
  }
  const own = state.entries[metadata.uid ?? ""]?.c ?? ""
  assert.match(own, /^\d+$/)
  assert.notInclude(state.defaultCpuSet.split(","), own)
  yield* cluster.delete("Pod", { namespace: "default", name: "alone" })
  yield* podIsDeleted("alone")
})

/** The node runs pods from the scheduler, and deletes them. */
const runsPods = Effect.gen(function* () {
  const { cluster } = yield* LinuxCluster
  yield* cluster.create("Pod", podNamed("guest", { nodeSelector: { "kubernetes.io/hostname": name } }))
  const pod = yield* podBecomes("guest", "Running")
  assert.strictEqual(pod.spec.nodeName, name)
  yield* cluster.delete("Pod", { namespace: "default", name: "guest" })
  yield* podIsDeleted("guest")
})

const manifest = (image: string) =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "resident" },
    spec: { terminationGracePeriodSeconds: 1, containers: [{ name: "c", image }] }
  })

/** Static pods run, have mirror pods, follow changes of their manifest, and end when it is removed. */
const runsManifests = Effect.fnUntraced(function* (folder: string) {
  const { cluster } = yield* LinuxCluster
  const file = join(folder, "resident.yaml")
  const mirror = `resident-${name}`
  const mirrorPod = cluster.get("Pod", { namespace: "default", name: mirror })
  writeFileSync(file, manifest("registry.k8s.io/pause:3.9"))
  const pod = yield* podBecomes(mirror, "Running")
  assert.strictEqual(pod.metadata.annotations?.["kubernetes.io/config.source"], "file")
  assert.strictEqual(
    pod.metadata.annotations?.["kubernetes.io/config.mirror"],
    pod.metadata.annotations?.["kubernetes.io/config.hash"]
  )
  assert.deepInclude(pod.metadata.ownerReferences?.[0], { kind: "Node", name, controller: true })

  writeFileSync(file, manifest("registry.k8s.io/pause:3.10"))
  const changed = yield* eventually(
    "the mirror pod is the changed one",
    mirrorPod,
    ({ spec, status }) => spec.containers[0]?.image?.endsWith(":3.10") === true && status?.phase === "Running"
  )
  assert.notStrictEqual(changed.metadata.uid, pod.metadata.uid)

  // A static pod cannot be deleted through the API: its mirror pod is created again.
  yield* cluster.delete("Pod", { namespace: "default", name: mirror }, { gracePeriodSeconds: 0 })
  yield* eventually("the mirror pod is back", mirrorPod, ({ metadata }) => metadata.uid !== changed.metadata.uid)

  rmSync(file)
  yield* podIsDeleted(mirror)
})

export const registration = Effect.gen(function* () {
  const { kubeconfig } = yield* LinuxCluster
  const folder = yield* temporaryFolder
  const manifests = join(folder, "manifests")
  mkdirSync(manifests)
  const kubelet = yield* startLinuxKubelet({
    kubeconfig,
    folder,
    name,
    config: {
      ...shortPeriods,
      staticPodPath: manifests,
      fileCheckFrequency: "1s",
      // A mirror that another has deleted is made anew with the next sync of its pod.
      syncFrequency: "2s",
      ...(keepsCpus ? { cpuManagerPolicy: "static", kubeReserved: { cpu: "500m" } } : {})
    }
  })
  yield* joins(folder)
  yield* warnsOfCgroups
  yield* runsPods
  if (keepsCpus) yield* givesCpu(folder)
  yield* runsManifests(manifests)
  kubelet.send("SIGTERM")
  assert.deepStrictEqual(yield* kubelet.ended, { code: 130, signal: null })
  assert.notInclude(kubelet.stderr(), "bug")
  yield* nodeBecomes(name, "Ready", "Unknown")
})

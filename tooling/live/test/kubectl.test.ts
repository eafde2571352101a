import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { kubectlVersion } from "../src/process/kubectl.ts"
import { run } from "../src/process/Program.ts"
import { UpCluster } from "./UpCluster.ts"
import { budget, daemonSet, deployment, manifest, statefulSet } from "./workload.ts"

/** The label of the stable nodes: others are added and removed by concurrent tests. */
const regionLabel = { "topology.kubernetes.io/region": "home" }

const name =
  kubectlVersion === undefined
    ? "kubectl and rollcall up: skipped, this machine has no kubectl"
    : "kubectl and rollcall up"

describe.skipIf(kubectlVersion === undefined).concurrent(name, () => {
  layer(UpCluster.layer, { excludeTestServices: true, timeout: 60_000 })("a cluster of five nodes", (it) => {
    it.effect(
      "shows a node that is lost and recovers, in get -w and describe",
      () =>
        Effect.gen(function* () {
          const { kubectl, rollcall } = yield* UpCluster
          const watch = yield* kubectl.start("get", "nodes", "-w")
          yield* watch.waitForOutput(/quiet-0 +Ready/)
          const { stdout } = yield* rollcall("fault", "partition", "--node", "quiet-0")
          const [, id = ""] = /^(partition-[0-9a-f]{6}) begins on 1 node: quiet-0\n/.exec(stdout) ?? []
          assert.notStrictEqual(id, "")
          assert.include((yield* rollcall("fault", "list")).stdout, `${id}   partition   names=quiet-0`)
          yield* watch.waitForOutput(/quiet-0 +NotReady/)
          yield* kubectl.out("wait", "--for=condition=Ready=Unknown", "node/quiet-0", "--timeout=20s")
          const described = yield* kubectl.out("describe", "node", "quiet-0")
          assert.match(described, /Ready +Unknown .* NodeStatusUnknown +Kubelet stopped posting node status\./)
          assert.match(described, /node.kubernetes.io\/unreachable:No(Execute|Schedule)/)
          assert.strictEqual((yield* rollcall("fault", "end", id)).stdout, `${id} ends\n`)
          yield* kubectl.out("wait", "--for=condition=Ready", "node/quiet-0", "--timeout=30s")
          yield* watch.waitForOutput(/quiet-0 +NotReady[\s\S]*quiet-0 +Ready/)
        }),
      60_000
    )

    it.effect("describes a modelled node", () =>
      Effect.gen(function* () {
        const { kubectl } = yield* UpCluster
        const registered = /RegisteredNode +\S+ +node-controller +Node a-0 event: Registered Node a-0 in Controller/
        let text = yield* kubectl.out("describe", "node", "a-0")
        // The event is created a moment after the node.
        while (!registered.test(text)) text = yield* kubectl.out("describe", "node", "a-0")
        for (const section of [
          "Roles:",
          "Lease:",
          "Conditions:",
          "Capacity:",
          "System Info:",
          "Allocated resources:"
        ]) {
          assert.include(text, section)
        }
        assert.match(text, /HolderIdentity: +a-0/)
        assert.match(text, /Kubelet Version: +v1\.36/)
      })
    )

    it.effect(
      "binds a StatefulSet's claims to disks in the zones of its pods, and deletes the disks with the claims",
      () =>
        Effect.gen(function* () {
          const { kubectl } = yield* UpCluster
          yield* kubectl.out("apply", "-f", manifest(statefulSet("db", 2, regionLabel)))
          yield* kubectl.out("rollout", "status", "statefulset/db", "--timeout=40s")
          const names: Array<string> = []
          for (const ordinal of [0, 1]) {
            const claim = yield* kubectl.out("describe", "pvc", `data-db-${ordinal}`)
            assert.match(claim, /StorageClass: +standard\nStatus: +Bound\n/)
            assert.match(claim, new RegExp(`Used By: +db-${ordinal}`))
            const [, name = ""] = /Volume: +(\S+)/.exec(claim) ?? []
            names.push(`pv/${name}`)
            const node = yield* kubectl.out("get", "pod", `db-${ordinal}`, "-o", "jsonpath={.spec.nodeName}")
            const zone = `zone-${node.slice(0, 1)}`
            const volume = yield* kubectl.out("describe", "pv", name)
            assert.include(volume, `topology.kubernetes.io/zone in [${zone}]`)
            assert.match(volume, new RegExp(`Claim: +default/data-db-${ordinal}`))
          }
          yield* kubectl.out("delete", "statefulset/db", "pvc/data-db-0", "pvc/data-db-1", "--timeout=40s")
          yield* kubectl.out("wait", "--for=delete", ...names, "--timeout=40s")
        }),
      60_000
    )

    it.effect(
      "drains a node with DaemonSet pods and a budget that refuses at first",
      () =>
        Effect.gen(function* () {
          const { kubectl } = yield* UpCluster
          yield* kubectl.out(
            "apply",
            "-f",
            manifest(deployment("web", 3, regionLabel), daemonSet("agent"), budget("web", 3))
          )
          yield* kubectl.out("rollout", "status", "deployment/web", "--timeout=30s")
          yield* kubectl.out("rollout", "status", "daemonset/agent", "--timeout=30s")
          yield* kubectl.out("wait", "--for=jsonpath={.status.currentHealthy}=3", "pdb/web", "--timeout=20s")
          const own = "--pod-selector=app in (web,agent)"
          const template = "jsonpath={.items[0].spec.nodeName}"
          const node = yield* kubectl.out("get", "pods", "-l", "app=web", "-o", template)

          const plain = yield* kubectl.run("drain", node, own, "--timeout=10s")
          assert.strictEqual(plain.code, 1)
          assert.include(plain.stderr, "cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore)")

          const refused = yield* kubectl.run("drain", node, own, "--ignore-daemonsets", "--timeout=1s")
          assert.strictEqual(refused.code, 1)
          assert.include(refused.stderr, "Cannot evict pod as it would violate the pod's disruption budget.")

          const drain = yield* kubectl.start("drain", node, own, "--ignore-daemonsets", "--timeout=40s")
          yield* drain.waitForOutput(/will retry after 5s/)
          yield* kubectl.out("patch", "pdb", "web", "--type=merge", "-p", '{"spec":{"minAvailable":1}}')
          assert.strictEqual((yield* drain.ended).code, 0)
          assert.include(drain.stdout(), `node/${node} drained`)
          const left = yield* kubectl.out(
            "get",
            "pods",
            "-l",
            "app in (web,agent)",
            "--field-selector",
            `spec.nodeName=${node}`,
            "-o",
            "name"
          )
          assert.match(left, /^pod\/agent-\w+\n$/)
          yield* kubectl.out("uncordon", node)
          yield* kubectl.out("delete", "pdb/web", "ds/agent", "deploy/web")
        }),
      90_000
    )

    it.effect(
      "rolls out a Deployment, rolls it back and restarts it, and edits it",
      () =>
        Effect.gen(function* () {
          const { folder, kubectl } = yield* UpCluster
          const settled = kubectl.out("rollout", "status", "deployment/app", "--timeout=40s")
          const image = kubectl.out("get", "deploy", "app", "-o", "jsonpath={.spec.template.spec.containers[0].image}")
          yield* kubectl.out("apply", "-f", manifest(deployment("app", 3, regionLabel)))
          yield* settled
          yield* kubectl.out("set", "image", "deployment/app", "c=registry.k8s.io/pause:3.11")
          assert.include(yield* settled, 'deployment "app" successfully rolled out')
          assert.match(yield* kubectl.out("rollout", "history", "deployment/app"), /\n1 +<none>\n2 +<none>\n/)
          assert.include(yield* kubectl.out("rollout", "undo", "deployment/app"), "deployment.apps/app rolled back")
          yield* settled
          assert.strictEqual(yield* image, "registry.k8s.io/pause:3.10")
          assert.include(yield* kubectl.out("rollout", "restart", "deployment/app"), "deployment.apps/app restarted")
          yield* settled
          assert.include(yield* kubectl.out("rollout", "history", "deployment/app"), "\n4 ")

          const editor = join(folder, "editor.sh")
          writeFileSync(editor, "#!/bin/sh\nsed -i 's/replicas: 3/replicas: 2/' \"$1\"\n")
          chmodSync(editor, 0o755)
          const kubeconfig = join(folder, "admin.conf")
          const edited = yield* run(
            "env",
            `KUBE_EDITOR=${editor}`,
            "kubectl",
            "--kubeconfig",
            kubeconfig,
            "edit",
            "deploy/app"
          )
          assert.strictEqual(edited.stdout, "deployment.apps/app edited\n")
          yield* kubectl.out("wait", "--for=jsonpath={.status.replicas}=2", "deploy/app", "--timeout=20s")
          yield* kubectl.out("delete", "deploy", "app")
        }),
      90_000
    )

    it.effect(
      "shows what modelled machines use, runs what they know, and waits for conditions",
      () =>
        Effect.gen(function* () {
          const { kubectl } = yield* UpCluster
          assert.match(yield* kubectl.out("top", "nodes"), /^\S+-0 +\d+m +\d+% +\d+Mi/m)
          yield* kubectl.out("run", "one", "--image=registry.k8s.io/pause:3.10", "--restart=Never")
          const waited = yield* kubectl.out("wait", "--for=condition=Ready", "pod/one", "--timeout=20s")
          assert.strictEqual(waited, "pod/one condition met\n")
          assert.include(yield* kubectl.out("exec", "one", "--", "ls"), "etc\n")
          const unknown = yield* kubectl.run("exec", "one", "--", "nginx", "-t")
          assert.strictEqual(unknown.code, 127)
          assert.include(unknown.stderr, 'this container is modelled and cannot run "nginx -t"')
          assert.include(yield* kubectl.out("logs", "one"), "this container is modelled")
          const gone = yield* kubectl.start("wait", "--for=delete", "pod/one", "--timeout=30s")
          yield* kubectl.out("delete", "pod", "one", "--grace-period=1", "--wait=false")
          assert.strictEqual((yield* gone.ended).code, 0)
        }),
      60_000
    )

    it.effect(
      "adds and removes nodes while the cluster runs",
      () =>
        Effect.gen(function* () {
          const { kubectl, rollcall } = yield* UpCluster
          const added = yield* rollcall("nodes", "add", "--group", "c", "--zone", "zone-c", "--count", "2")
          assert.strictEqual(added.stdout, "2 nodes added to group c in zone-c: c-0, c-1\n")
          const there = Effect.map(kubectl.run("get", "node", "c-0", "c-1"), ({ code }) => code === 0)
          while (!(yield* there)) yield* Effect.sleep(100)
          yield* kubectl.out("wait", "--for=condition=Ready", "node/c-0", "node/c-1", "--timeout=20s")
          const zone = "jsonpath={.metadata.labels.topology\\.kubernetes\\.io/zone}"
          assert.strictEqual(yield* kubectl.out("get", "node", "c-1", "-o", zone), "zone-c")
          const wrong = yield* rollcall("nodes", "remove", "c-7")
          assert.deepInclude(wrong, { code: 2, stdout: "" })
          assert.include(wrong.stderr, 'no modelled node "c-7"')
          yield* rollcall("nodes", "remove", "c-0")
          yield* kubectl.out("wait", "--for=delete", "node/c-0", "--timeout=20s")
          yield* rollcall("nodes", "remove", "--group", "c")
          yield* kubectl.out("wait", "--for=delete", "node/c-1", "--timeout=20s")
          assert.strictEqual((yield* kubectl.out("get", "nodes", "-o", "name")).split("\n").length, 6)
        }),
      60_000
    )
  })
})

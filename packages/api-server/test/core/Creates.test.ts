import { assert, describe, it } from "@effect/vitest"
import type { KubeObject, Pod } from "@rollcall/api"
import { lease, makeTestServer, node, pod } from "./testServer.ts"

describe("create", () => {
  it("sets the server's fields, and ignores the caller's values of them", () => {
    const testServer = makeTestServer()
    const given = {
      name: "p",
      uid: "mine",
      generation: 7,
      creationTimestamp: "2000-01-01T00:00:00Z",
      deletionTimestamp: "2000-01-01T00:00:00Z",
      deletionGracePeriodSeconds: 3
    }
    const created = testServer.create("Pod", {
      ...(pod("p", { nodeName: "n" }, given) as KubeObject),
      status: { phase: "Running" }
    })
    const { metadata, spec, status } = created
    assert.match(metadata.uid ?? "", /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.strictEqual(metadata.resourceVersion, String(testServer.server.revision()))
    assert.deepInclude(metadata, { generation: 1, creationTimestamp: "2026-01-01T00:00:00Z", namespace: "default" })
    assert.notProperty(metadata, "deletionTimestamp")
    assert.notProperty(metadata, "deletionGracePeriodSeconds")
    assert.deepStrictEqual(status, { phase: "Pending", qosClass: "BestEffort" })
    // Defaults, and what admission adds.
    assert.strictEqual(spec.terminationGracePeriodSeconds, 30)
    assert.strictEqual(spec.priority, 0)
    assert.deepStrictEqual(
      spec.tolerations?.map(({ key }) => key),
      ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"]
    )
    assert.strictEqual(testServer.get("Pod", "p"), created)
  })

  it("keeps the start of a deletion that a PUT creates", () => {
    const testServer = makeTestServer()
    const deletion = { deletionTimestamp: "2000-01-01T00:00:00Z", deletionGracePeriodSeconds: 3 }
    const object = { ...(lease("l") as KubeObject), metadata: { name: "l", namespace: "default", ...deletion } }
    const request = { verb: "update", kind: "Lease", name: "l", namespace: "default", object } as const
    const created = testServer.ask(request) as KubeObject
    assert.deepInclude(created.metadata, deletion)
  })

  it("keeps the status of a node, clears that of a workload, and counts generations by kind", () => {
    const testServer = makeTestServer()
    const created = testServer.create("Node", node("n", { status: { capacity: { cpu: "4" } } }))
    assert.deepStrictEqual(created.status, { capacity: { cpu: "4" }, allocatable: { cpu: "4" } })
    assert.notProperty(created.metadata, "generation")
    assert.deepStrictEqual(created.spec?.taints, [{ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }])
    const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } }
    const set = testServer.create("ReplicaSet", {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: { name: "r", namespace: "default" },
      spec: { selector: { matchLabels: { a: "b" } }, template },
      status: { replicas: 9 }
    })
    assert.deepStrictEqual([set.status, set.spec.replicas, set.metadata.generation], [{ replicas: 0 }, 1, 1])
  })

  it("does not need kind and apiVersion, and refuses those of another", () => {
    const testServer = makeTestServer()
    const created = testServer.create("Node", { metadata: { name: "bare" } })
    assert.deepInclude(created, { apiVersion: "v1", kind: "Node" })
    const wrong = testServer.refusalOf({ verb: "create", kind: "Node", object: pod("p") })
    assert.deepInclude(wrong, { code: 400, reason: "BadRequest" })
    assert.match(wrong.message ?? "", /^Pod in version "v1" cannot be handled as a Node: converting/)
  })

  it("refuses existing objects, a resourceVersion, invalid objects, and missing namespaces", () => {
    const testServer = makeTestServer()
    testServer.create("Node", node("n"))
    const refuse = (object: unknown, more: object = {}) => {
      const { code, message, reason } = testServer.refusalOf({ verb: "create", kind: "Node", object, ...more })
      return [code, reason, message]
    }
    assert.deepStrictEqual(refuse(node("n")), [409, "AlreadyExists", 'nodes "n" already exists'])
    // With a prefix the answer is that of a generated name, though the client chose this one.
    const both = refuse(node("n", { metadata: { name: "n", generateName: "n-" } }))
    assert.deepStrictEqual(both.slice(0, 2), [409, "AlreadyExists"])
    assert.include(both[2], "the server was not able to generate a unique name")
    const finalizers = ["example.com/hold"]
    testServer.create("Node", node("held", { metadata: { name: "held", finalizers } }))
    testServer.ask({ verb: "delete", kind: "Node", name: "held" })
    assert.include(refuse(node("held")), 'object is being deleted: nodes "held" already exists')
    assert.deepStrictEqual(refuse({ metadata: { name: "m", resourceVersion: "3" } }), [
      500,
      undefined,
      "resourceVersion should not be set on objects to be created"
    ])
    assert.strictEqual(
      refuse({ metadata: {} })[2],
      'Node "" is invalid: metadata.name: Required value: name or generateName is required'
    )
    const elsewhere = { kind: "Lease", namespace: "nope" }
    assert.deepStrictEqual(refuse({ metadata: { name: "l" } }, elsewhere), [
      404,
      "NotFound",
      'namespaces "nope" not found'
    ])
    assert.strictEqual(
      refuse(lease("l"), { kind: "Lease", namespace: "default" })[2],
      "the namespace of the provided object does not match the namespace sent on the request"
    )
    assert.strictEqual(refuse({ metadata: { name: "l" } }, { kind: "Lease" })[0], 400)
    assert.strictEqual(refuse(node("x"), { subresource: "eviction" })[0], 404)
  })

  it("refuses content for a namespace that is being deleted", () => {
    const testServer = makeTestServer()
    testServer.create("Namespace", { metadata: { name: "going" } })
    testServer.ask({ verb: "delete", kind: "Namespace", name: "going" })
    const refused = testServer.refusalOf({
      verb: "create",
      kind: "Pod",
      namespace: "going",
      object: { metadata: { name: "p" } }
    })
    assert.strictEqual(
      refused.message,
      'pods "p" is forbidden: unable to create new content in namespace going because it is being terminated'
    )
    assert.deepStrictEqual(
      refused.details?.causes?.map(({ field, reason }) => [reason, field]),
      [["NamespaceTerminating", "metadata.namespace"]]
    )
  })

  it("shows the result of a dry run, and stores nothing", () => {
    const testServer = makeTestServer()
    const before = testServer.server.revision()
    const shown = testServer.ask({ verb: "create", kind: "Node", object: node("n"), dryRun: true }) as KubeObject
    assert.notProperty(shown.metadata, "resourceVersion")
    assert.notStrictEqual(shown.metadata.uid, undefined)
    assert.strictEqual(testServer.server.revision(), before)
    assert.strictEqual(testServer.get("Node", "n"), undefined)
  })

  it("starts with the namespaces and priority classes of every cluster", () => {
    const testServer = makeTestServer()
    const names = (kind: "Namespace" | "PriorityClass") =>
      testServer.list(kind).items.map(({ metadata }) => metadata.name)
    assert.deepStrictEqual(names("Namespace"), ["default", "kube-node-lease", "kube-public", "kube-system"])
    assert.deepStrictEqual(names("PriorityClass"), ["system-cluster-critical", "system-node-critical"])
    const labels = testServer.list("Namespace").items.map(({ metadata }) => metadata.labels)
    assert.deepStrictEqual(labels[0], { "kubernetes.io/metadata.name": "default" })
  })
})

describe("generateName", () => {
  it("labels a namespace with its name only after that is found to be valid", () => {
    const testServer = makeTestServer()
    const { metadata } = testServer.create("Namespace", { metadata: { generateName: "n-" } })
    assert.strictEqual(metadata.labels?.["kubernetes.io/metadata.name"], metadata.name)
    assert.strictEqual(
      testServer.get("Namespace", metadata.name ?? "")?.metadata.labels?.["kubernetes.io/metadata.name"],
      metadata.name
    )
    const object = { apiVersion: "v1", kind: "Namespace", metadata: { generateName: "-n" } } as const
    const refused = testServer.refusalOf({ verb: "create", kind: "Namespace", object })
    assert.deepStrictEqual(
      refused.details?.causes?.map(({ field }) => field),
      ["metadata.generateName", "metadata.name"]
    )
  })

  const generated = (base: string) => ({ metadata: { generateName: base, namespace: "default" } })

  it("adds five characters to the base, cut to fit", () => {
    const testServer = makeTestServer()
    const short = testServer.create("ConfigMap", generated("a-"))
    assert.match(short.metadata.name ?? "", /^a-[bcdfghjklmnpqrstvwxz2456789]{5}$/)
    const long = testServer.create("ConfigMap", generated("x".repeat(70)))
    assert.strictEqual(long.metadata.name?.length, 63)
  })

  it("leaves a job that has the labels of its pods without those that the server adds to its pods", () => {
    const testServer = makeTestServer()
    const container = { name: "c", image: "i" }
    const template = { metadata: { labels: { a: "b" } }, spec: { restartPolicy: "Never", containers: [container] } }
    const job = (metadata: object) => ({ metadata: { namespace: "default", ...metadata }, spec: { template } })
    const labelsOf = (metadata: object) => Object.keys(testServer.create("Job", job(metadata)).metadata.labels ?? {})
    assert.lengthOf(labelsOf({ name: "j" }), 5)
    assert.deepStrictEqual(labelsOf({ generateName: "j-" }), ["a"])
    assert.deepStrictEqual(labelsOf({ name: "k", labels: { a: "b" } }), ["a"])
  })

  it("is the same for the same seed, and differs for another", () => {
    const names = (seed: string) => {
      const testServer = makeTestServer({ seed })
      return [1, 2, 3].map(() => {
        const { name, uid } = testServer.create("ConfigMap", generated("a-")).metadata
        return `${name} ${uid}`
      })
    }
    assert.deepStrictEqual(names("one"), names("one"))
    assert.notDeepEqual(names("one"), names("two"))
  })

  it("tries eight names and then fails", () => {
    // A first server shows the names that this seed generates; the second server already has objects of these names.
    const first = makeTestServer({ seed: "taken" })
    const taken = Array.from({ length: 20 }, () => first.create("ConfigMap", generated("a-")).metadata.name ?? "")
    const testServer = makeTestServer({ seed: "taken" })
    // A restore draws uids from the same sequence, so the objects bring their own.
    const objects = taken.map((name, index) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, namespace: "default", uid: `u${index}` }
    }))
    testServer.time.run(testServer.server.restore(objects))
    const { code, message, reason } = testServer.refusalOf({
      verb: "create",
      kind: "ConfigMap",
      namespace: "default",
      object: generated("a-")
    })
    assert.deepStrictEqual([code, reason], [409, "AlreadyExists"])
    assert.match(message ?? "", /already exists, the server was not able to generate a unique name for the object$/)

    const partly = makeTestServer({ seed: "taken" })
    partly.time.run(partly.server.restore(objects.slice(0, 3)))
    const { name = "" } = partly.create("ConfigMap", generated("a-")).metadata
    assert.notInclude(taken.slice(0, 3), name)
  })
})

describe("an IPAddress with a prefix", () => {
  it("has the prefix as its name, as a generated one would be none", () => {
    const to = makeTestServer()
    const made = to.create("IPAddress", {
      apiVersion: "networking.k8s.io/v1",
      kind: "IPAddress",
      metadata: { generateName: "10.0.0.1" },
      spec: { parentRef: { resource: "services", name: "s", namespace: "default" } }
    })
    assert.strictEqual(made.metadata.name, "10.0.0.1")
  })
})

describe("new pods of one template", () => {
  const spec = {
    nodeSelector: { disk: "ssd" },
    containers: [{ name: "c", image: "i:1", ports: [{ containerPort: 80 }] }]
  }

  it("share their spec, and others do not", () => {
    const testServer = makeTestServer()
    const [first, second, other] = ["ssd", "ssd", "hdd"].map((disk, number) =>
      testServer.create("Pod", pod(`p-${number}`, structuredClone({ ...spec, nodeSelector: { disk } })))
    )
    assert.strictEqual(first?.spec, second?.spec)
    assert.deepStrictEqual(other?.spec, { ...(first as Pod).spec, nodeSelector: { disk: "hdd" } })
    const alone = makeTestServer().create("Pod", pod("p", structuredClone(spec)))
    assert.strictEqual(JSON.stringify(alone.spec), JSON.stringify(first?.spec))
    const { containers, nodeSelector } = spec
    const turned = { apiVersion: "v1", kind: "Pod", metadata: { name: "t" }, spec: { nodeSelector, containers } }
    const fields = Object.keys(
      testServer.create("Pod", { ...turned, metadata: { name: "t", namespace: "default" } }).spec
    )
    assert.isBelow(fields.indexOf("nodeSelector"), fields.indexOf("containers"))
  })

  it("are completed and checked by what else each of them has", () => {
    const testServer = makeTestServer()
    const annotations = { "container.apparmor.security.beta.kubernetes.io/c": "runtime/default" }
    for (const [name, given, expected] of [
      ["p-1", {}, undefined],
      ["p-2", { annotations }, { appArmorProfile: { type: "RuntimeDefault" } }],
      ["p-3", {}, undefined]
    ] as const) {
      const { containers } = testServer.create("Pod", pod(name, structuredClone(spec), given)).spec
      assert.deepStrictEqual(containers[0]?.securityContext, expected)
    }
    const volumeClaimTemplate = {
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } }
    }
    const withVolume = () =>
      structuredClone({ ...spec, volumes: [{ name: "v".repeat(60), ephemeral: { volumeClaimTemplate } }] })
    testServer.create("Pod", pod("p-4", withVolume()))
    const object = pod("p".repeat(250), withVolume())
    const long = testServer.refusalOf({ verb: "create", kind: "Pod", namespace: "default", object })
    assert.match(long.message ?? "", /spec.volumes\[0\].name: Invalid value/)
  })
})

import { assert, describe, it } from "@effect/vitest"
import {
  ApiException,
  ApiextensionsV1Api,
  AppsV1Api,
  CoordinationV1Api,
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  KubernetesObjectApi,
  makeInformer,
  PatchStrategy,
  PolicyV1Api,
  setHeaderOptions,
  V1MicroTime,
  type V1Node,
  VersionApi,
  Watch
} from "@kubernetes/client-node"
import { formatKubeconfig, kubeconfigFor } from "@rollcall/kube-client"
import * as Effect from "effect/Effect"
import { LiveServer } from "../src/LiveServer.ts"

/** Runs the official JavaScript client with our kubeconfig against a separate server. */
const withClient = (title: string, body: (kc: KubeConfig) => Promise<void>) =>
  it.live(title, () =>
    Effect.gen(function* () {
      const { config, url } = yield* LiveServer
      const kc = new KubeConfig()
      kc.loadFromString(
        formatKubeconfig(kubeconfigFor({ name: "rollcall", server: url, ca: config.tls.ca ?? "", token: "admin" }))
      )
      yield* Effect.promise(() => body(kc))
    }).pipe(Effect.provide(LiveServer.layerTls))
  )

const node = (name: string): V1Node => ({ apiVersion: "v1", kind: "Node", metadata: { name, labels: { zone: "a" } } })

const codeOf = async (asked: Promise<unknown>): Promise<number> => {
  try {
    await asked
    return 200
  } catch (error) {
    if (error instanceof ApiException) return error.code
    throw error
  }
}

const until = async (what: string, ready: () => boolean): Promise<void> => {
  for (let wait = 0; wait < 200; wait++) {
    if (ready()) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  assert.fail(`${what} did not come`)
}

const merge = setHeaderOptions("Content-Type", PatchStrategy.MergePatch)

describe("the official JavaScript client", () => {
  withClient("creates, reads, replaces, patches and deletes nodes", async (kc) => {
    const core = kc.makeApiClient(CoreV1Api)
    const created = await core.createNode({ body: node("n1") })
    assert.isNotEmpty(created.metadata?.uid)
    assert.instanceOf(created.metadata?.creationTimestamp, Date)
    const read = await core.readNode({ name: "n1" })
    const replaced = await core.replaceNode({ name: "n1", body: { ...read, spec: { unschedulable: true } } })
    assert.strictEqual(replaced.spec?.unschedulable, true)
    assert.strictEqual(await codeOf(core.replaceNode({ name: "n1", body: read })), 409)
    await core.patchNode({ name: "n1", body: { metadata: { labels: { a: "1" } } } }, merge)
    const strategic = setHeaderOptions("Content-Type", PatchStrategy.StrategicMergePatch)
    await core.patchNode({ name: "n1", body: { spec: { taints: [{ key: "k", effect: "NoSchedule" }] } } }, strategic)
    const operations = [{ op: "add", path: "/metadata/labels/b", value: "2" }]
    await core.patchNode({ name: "n1", body: operations }, setHeaderOptions("Content-Type", PatchStrategy.JsonPatch))
    const status = { status: { conditions: [{ type: "Ready", status: "True" }] } }
    await core.patchNodeStatus({ name: "n1", body: status }, merge)
    const now = await core.readNode({ name: "n1" })
    assert.deepStrictEqual(now.metadata?.labels, { zone: "a", a: "1", b: "2" })
    assert.deepStrictEqual(now.spec?.taints?.map(({ key }) => key).includes("k"), true)
    assert.strictEqual(now.status?.conditions?.[0]?.type, "Ready")
    await core.deleteNode({ name: "n1" })
    assert.strictEqual(await codeOf(core.readNode({ name: "n1" })), 404)
    assert.strictEqual(await codeOf(core.createNode({ body: { ...node("N 1") } })), 422)
  })

  withClient("applies on the server's side, and is told of conflicts", async (kc) => {
    const core = kc.makeApiClient(CoreV1Api)
    const apply = setHeaderOptions("Content-Type", PatchStrategy.ServerSideApply)
    const labelled = (c: string) => ({ apiVersion: "v1", kind: "Node", metadata: { name: "n1", labels: { c } } })
    await core.patchNode({ name: "n1", body: labelled("1"), fieldManager: "one" }, apply)
    assert.strictEqual(
      await codeOf(core.patchNode({ name: "n1", body: labelled("2"), fieldManager: "two" }, apply)),
      409
    )
    const taken = await core.patchNode({ name: "n1", body: labelled("2"), fieldManager: "two", force: true }, apply)
    assert.deepStrictEqual(taken.metadata?.labels, { c: "2" })
  })

  withClient("lists by selectors and pages, and deletes collections", async (kc) => {
    const core = kc.makeApiClient(CoreV1Api)
    for (const name of ["a", "b", "c", "d", "e"]) {
      await core.createNamespacedConfigMap({ namespace: "default", body: { metadata: { name, labels: { n: name } } } })
    }
    const names: Array<string> = []
    let next: string | undefined
    do {
      const page = await core.listNamespacedConfigMap({
        namespace: "default",
        limit: 2,
        ...(next && { _continue: next })
      })
      names.push(...page.items.map(({ metadata }) => metadata?.name ?? ""))
      next = page.metadata?._continue
    } while (next)
    assert.deepStrictEqual(
      names.filter((name) => name.length === 1),
      ["a", "b", "c", "d", "e"]
    )
    const some = await core.listConfigMapForAllNamespaces({ labelSelector: "n in (a,b)" })
    assert.strictEqual(some.items.length, 2)
    const one = await core.listNamespacedConfigMap({ namespace: "default", fieldSelector: "metadata.name=c" })
    assert.strictEqual(one.items.length, 1)
    await core.deleteCollectionNamespacedConfigMap({ namespace: "default", labelSelector: "n" })
    assert.strictEqual(
      (await core.listNamespacedConfigMap({ namespace: "default", labelSelector: "n" })).items.length,
      0
    )
  })

  withClient("watches from a revision, and ends a watch", async (kc) => {
    const core = kc.makeApiClient(CoreV1Api)
    const { metadata } = await core.listNode()
    const seen: Array<string> = []
    let ended = false
    const watching = await new Watch(kc).watch(
      "/api/v1/nodes",
      { resourceVersion: metadata?.resourceVersion, allowWatchBookmarks: true },
      (type: string, object: V1Node) => seen.push(`${type} ${object.metadata?.name}`),
      () => {
        ended = true
      }
    )
    await core.createNode({ body: node("n1") })
    await core.patchNode({ name: "n1", body: { metadata: { labels: { a: "1" } } } }, merge)
    await core.deleteNode({ name: "n1" })
    await until("three events", () => seen.length >= 3)
    assert.deepStrictEqual(seen, ["ADDED n1", "MODIFIED n1", "DELETED n1"])
    watching.abort()
    await until("the end", () => ended)
  })

  withClient("keeps an informer", async (kc) => {
    const core = kc.makeApiClient(CoreV1Api)
    await core.createNode({ body: node("old") })
    const informer = makeInformer<V1Node>(kc, "/api/v1/nodes", () => core.listNode())
    const heard: Array<string> = []
    for (const verb of ["add", "update", "delete"] as const) {
      informer.on(verb, (object) => heard.push(`${verb} ${object.metadata?.name}`))
    }
    await informer.start()
    await core.createNode({ body: node("new") })
    await until("new", () => heard.includes("add new"))
    await core.patchNode({ name: "old", body: { metadata: { labels: { a: "1" } } } }, merge)
    await core.deleteNode({ name: "new" })
    await until("the delete", () => heard.includes("delete new"))
    assert.deepStrictEqual(heard, ["add old", "add new", "update old", "delete new"])
    assert.deepStrictEqual(
      informer.list().map(({ metadata }) => metadata?.name),
      ["old"]
    )
    await informer.stop()
  })

  withClient("renews leases", async (kc) => {
    const coordination = kc.makeApiClient(CoordinationV1Api)
    const namespace = "default"
    const spec = {
      holderIdentity: "me",
      leaseDurationSeconds: 40,
      renewTime: new V1MicroTime("2026-01-01T00:00:00.123456Z")
    }
    const lease = await coordination.createNamespacedLease({ namespace, body: { metadata: { name: "l" }, spec } })
    assert.strictEqual(lease.spec?.holderIdentity, "me")
    const renewed = await coordination.replaceNamespacedLease({ namespace, name: "l", body: lease })
    assert.strictEqual(renewed.spec?.leaseDurationSeconds, 40)
  })

  withClient("runs pods through binding, status, eviction under a budget, and graceful deletion", async (kc) => {
    const core = kc.makeApiClient(CoreV1Api)
    const policy = kc.makeApiClient(PolicyV1Api)
    const namespace = "default"
    await core.createNode({ body: node("n1") })
    await codeOf(core.createNamespacedServiceAccount({ namespace, body: { metadata: { name: "default" } } }))
    const pod = { metadata: { name: "p", labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "x" }] } }
    await core.createNamespacedPod({ namespace, body: pod })
    const binding = { metadata: { name: "p" }, target: { apiVersion: "v1", kind: "Node", name: "n1" } }
    // The response is a Status although the client's generated code expects a Binding: it accepts that.
    await core.createNamespacedPodBinding({ namespace, name: "p", body: binding })
    assert.strictEqual((await core.readNamespacedPod({ namespace, name: "p" })).spec?.nodeName, "n1")
    const status = { status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] } }
    await core.patchNamespacedPodStatus({ namespace, name: "p", body: status }, merge)
    const onNode = await core.listPodForAllNamespaces({ fieldSelector: "spec.nodeName=n1" })
    assert.strictEqual(onNode.items.length, 1)
    const budget = { metadata: { name: "b" }, spec: { minAvailable: 1, selector: { matchLabels: { app: "web" } } } }
    await policy.createNamespacedPodDisruptionBudget({ namespace, body: budget })
    const eviction = { metadata: { name: "p", namespace } }
    assert.strictEqual(await codeOf(core.createNamespacedPodEviction({ namespace, name: "p", body: eviction })), 429)
    await policy.deleteNamespacedPodDisruptionBudget({ namespace, name: "b" })
    await core.createNamespacedPodEviction({ namespace, name: "p", body: eviction })
    assert.isDefined((await core.readNamespacedPod({ namespace, name: "p" })).metadata?.deletionTimestamp)
    await core.deleteNamespacedPod({ namespace, name: "p", gracePeriodSeconds: 0 })
    assert.strictEqual(await codeOf(core.readNamespacedPod({ namespace, name: "p" })), 404)
  })

  withClient("scales deployments", async (kc) => {
    const apps = kc.makeApiClient(AppsV1Api)
    const namespace = "default"
    const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "x" }] } }
    const spec = { replicas: 2, selector: { matchLabels: { app: "web" } }, template }
    await apps.createNamespacedDeployment({ namespace, body: { metadata: { name: "web" }, spec } })
    const scale = await apps.readNamespacedDeploymentScale({ namespace, name: "web" })
    assert.strictEqual(scale.spec?.replicas, 2)
    await apps.replaceNamespacedDeploymentScale({ namespace, name: "web", body: { ...scale, spec: { replicas: 5 } } })
    await apps.patchNamespacedDeploymentScale({ namespace, name: "web", body: { spec: { replicas: 6 } } }, merge)
    assert.strictEqual((await apps.readNamespacedDeployment({ namespace, name: "web" })).spec?.replicas, 6)
    await apps.deleteNamespacedDeployment({ namespace, name: "web", propagationPolicy: "Background" })
  })

  withClient("makes and ends namespaces, writes events, and asks for the version", async (kc) => {
    const core = kc.makeApiClient(CoreV1Api)
    await core.createNamespace({ body: { metadata: { name: "team" } } })
    const involvedObject = { kind: "Node", name: "n1" }
    const event = { metadata: { name: "n1.1" }, involvedObject, reason: "Test", type: "Normal", message: "hello" }
    await core.createNamespacedEvent({ namespace: "default", body: event })
    const about = await core.listNamespacedEvent({ namespace: "default", fieldSelector: "involvedObject.name=n1" })
    assert.strictEqual(about.items[0]?.message, "hello")
    await core.deleteNamespace({ name: "team" })
    assert.match((await kc.makeApiClient(VersionApi).getCode()).gitVersion, /^v1\.36\.2/)
  })

  withClient("finds kinds by discovery", async (kc) => {
    const objects = KubernetesObjectApi.makeApiClient(kc)
    const secret = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "s", namespace: "default" },
      stringData: { a: "b" }
    }
    await objects.create(secret)
    const found = await objects.read({ ...secret, metadata: { name: "s", namespace: "default" } })
    assert.strictEqual(found.metadata?.name, "s")
    const listed = await objects.list("apps/v1", "Deployment", "default")
    assert.deepStrictEqual(listed.items, [])
    await objects.delete(secret)
  })

  withClient("defines a kind, and works with its objects", async (kc) => {
    const group = "rollcall.example.com"
    const openAPIV3Schema = {
      type: "object",
      properties: {
        spec: { type: "object", properties: { size: { type: "integer", minimum: 1 } } },
        status: { type: "object", properties: { phase: { type: "string" } } }
      }
    }
    const versions = [
      { name: "v1", served: true, storage: true, schema: { openAPIV3Schema }, subresources: { status: {} } }
    ]
    const names = { plural: "dials", singular: "dial", kind: "Dial" }
    const definitions = kc.makeApiClient(ApiextensionsV1Api)
    const name = `dials.${group}`
    await definitions.createCustomResourceDefinition({
      body: { metadata: { name }, spec: { group, scope: "Namespaced", names, versions } }
    })
    const isEstablished = async () => {
      const { status } = await definitions.readCustomResourceDefinition({ name })
      return status?.conditions?.some(({ type, status: value }) => type === "Established" && value === "True") === true
    }
    for (let wait = 0; wait < 200 && !(await isEstablished()); wait++) {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    const objects = kc.makeApiClient(CustomObjectsApi)
    const all = { group, version: "v1", namespace: "default", plural: "dials" }
    const one = { ...all, name: "d" }
    const dial = (size: number) => ({
      apiVersion: `${group}/v1`,
      kind: "Dial",
      metadata: { name: "d" },
      spec: { size }
    })
    await objects.createNamespacedCustomObject({ ...all, body: dial(2) })
    assert.strictEqual(await codeOf(objects.createNamespacedCustomObject({ ...all, body: dial(0) })), 422)
    await objects.patchNamespacedCustomObject({ ...one, body: { spec: { size: 3 } } }, merge)
    const strategic = setHeaderOptions("Content-Type", PatchStrategy.StrategicMergePatch)
    assert.strictEqual(await codeOf(objects.patchNamespacedCustomObject({ ...one, body: {} }, strategic)), 415)
    await objects.patchNamespacedCustomObjectStatus({ ...one, body: { status: { phase: "Ready" } } }, merge)
    const read = await objects.getNamespacedCustomObject(one)
    assert.deepInclude(read, { spec: { size: 3 }, status: { phase: "Ready" } })
    const listed = await objects.listClusterCustomObject({ group, version: "v1", plural: "dials" })
    assert.lengthOf(listed.items, 1)
    await objects.deleteNamespacedCustomObject(one)
    assert.strictEqual(await codeOf(objects.getNamespacedCustomObject(one)), 404)
    await definitions.deleteCustomResourceDefinition({ name })
  })
})

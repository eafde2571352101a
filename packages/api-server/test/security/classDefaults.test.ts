import { assert, describe, it } from "@effect/vitest"
import type { DaemonSet, Toleration } from "@rollcall/api"
import { kindOf } from "@rollcall/api"
import { makeSecuredTestServer } from "./securedTestServer.ts"

const ingressClass = (name: string, isDefault: string) => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "IngressClass",
  metadata: { name, annotations: { "ingressclass.kubernetes.io/is-default-class": isDefault } },
  spec: { controller: "example.com/c" }
})

const ingress = (name: string, spec: object = {}, annotations?: object) => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "Ingress",
  metadata: { name, namespace: "default", ...(annotations && { annotations }) },
  spec: { defaultBackend: { service: { name: "s", port: { number: 80 } } }, ...spec }
})

describe("DefaultIngressClass", () => {
  it("gives Ingresses that name no class the newest default class", () => {
    const testServer = makeSecuredTestServer()
    const classOf = (...args: Parameters<typeof ingress>) =>
      testServer.create("Ingress", ingress(...args)).spec?.ingressClassName
    assert.isUndefined(classOf("none"))
    testServer.create("IngressClass", ingressClass("b-older", "true"))
    testServer.advance(1000)
    testServer.create("IngressClass", ingressClass("d-newer", "true"))
    testServer.create("IngressClass", ingressClass("c-newer", "true"))
    testServer.create("IngressClass", ingressClass("a-other", "false"))
    assert.strictEqual(classOf("default"), "c-newer")
    assert.strictEqual(classOf("named", { ingressClassName: "a-other" }), "a-other")
    assert.isUndefined(classOf("annotated", {}, { "kubernetes.io/ingress.class": "x" }))
  })
})

describe("StorageObjectInUseProtection", () => {
  it("protects the attributes of volumes", () => {
    const made = makeSecuredTestServer().create("VolumeAttributesClass", {
      apiVersion: "storage.k8s.io/v1",
      kind: "VolumeAttributesClass",
      metadata: { name: "gold" },
      driverName: "example.com",
      parameters: { iops: "1" }
    })
    assert.deepStrictEqual(made.metadata.finalizers, ["kubernetes.io/vac-protection"])
  })
})

describe("RuntimeClass", () => {
  const tolerationsOf = (own: ReadonlyArray<Toleration>, added: ReadonlyArray<Toleration>) => {
    const testServer = makeSecuredTestServer()
    testServer.create("RuntimeClass", {
      apiVersion: "node.k8s.io/v1",
      kind: "RuntimeClass",
      metadata: { name: "kata" },
      handler: "kata",
      scheduling: { tolerations: added }
    })
    testServer.create("ServiceAccount", {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: "default", namespace: "default" }
    })
    const pod = testServer.create("Pod", {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p", namespace: "default" },
      spec: { runtimeClassName: "kata", containers: [{ name: "c", image: "i" }], tolerations: own }
    })
    return pod.spec.tolerations?.filter(({ key = "" }) => !key.startsWith("node.kubernetes.io/"))
  }
  const one: Toleration = { key: "a", operator: "Equal", value: "1", effect: "NoSchedule" }
  const wide: Toleration = { key: "a", operator: "Exists" }
  const other: Toleration = { key: "b", operator: "Exists" }

  it("adds its tolerations after the pod's, without those that another includes", () => {
    assert.deepStrictEqual(tolerationsOf([one], [other]), [one, other])
    assert.deepStrictEqual(tolerationsOf([one, other], [wide]), [other, wide])
    assert.deepStrictEqual(tolerationsOf([wide], [one, wide]), [wide])
    const briefly: Toleration = { key: "a", operator: "Exists", effect: "NoExecute", tolerationSeconds: 5 }
    const longer: Toleration = { ...briefly, tolerationSeconds: 9 }
    assert.deepStrictEqual(tolerationsOf([briefly], [longer]), [longer])
    assert.deepStrictEqual(tolerationsOf([longer], [briefly, other]), [longer, other])
  })
})

describe("a runtime class that does not exist", () => {
  it("refuses the pod, by another error if no path can name it", () => {
    const testServer = makeSecuredTestServer()
    const account = { metadata: { name: "default", namespace: "default" } }
    testServer.create("ServiceAccount", { apiVersion: "v1", kind: "ServiceAccount", ...account })
    const refusalOf = (runtimeClassName: string) =>
      testServer.refusalOf({
        verb: "create",
        kind: "Pod",
        namespace: "default",
        object: { metadata: { name: "p" }, spec: { runtimeClassName, containers: [{ name: "c", image: "i" }] } }
      })
    const missing = refusalOf("kata")
    assert.deepStrictEqual(
      [missing.code, missing.message],
      [403, 'pods "p" is forbidden: pod rejected: RuntimeClass "kata" not found']
    )
    const unnamed = refusalOf("a/b")
    assert.deepStrictEqual([unnamed.code, unnamed.message], [500, `invalid resource name "a/b": [may not contain '/']`])
  })
})

describe("the template generation of a DaemonSet", () => {
  it("counts the changes of its template, whatever the client writes", () => {
    const testServer = makeSecuredTestServer()
    const set = (image: string, annotations?: object) => ({
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata: { name: "d", namespace: "default", ...(annotations && { annotations }) },
      spec: {
        selector: { matchLabels: { a: "b" } },
        template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image }] } }
      }
    })
    const key = "deprecated.daemonset.template.generation"
    const generationOf = ({ metadata }: DaemonSet) => metadata.annotations?.[key]
    const put = (object: unknown) =>
      testServer.ask({
        verb: "update",
        kind: "DaemonSet",
        namespace: "default",
        name: "d",
        object: object as DaemonSet
      }) as DaemonSet
    const made = testServer.create("DaemonSet", set("one"))
    assert.strictEqual(generationOf(made), "1")
    assert.strictEqual(generationOf(put(set("one", { [key]: "7" }))), "1")
    assert.strictEqual(generationOf(put(set("two"))), "2")
  })
})

describe("warnings about CSIDrivers", () => {
  it("are about token requests that are new or changed", () => {
    const { warnings } = kindOf("CSIDriver")
    const driver = (spec: object) =>
      ({ apiVersion: "storage.k8s.io/v1", kind: "CSIDriver", metadata: { name: "d" }, spec }) as never
    const requests = driver({ tokenRequests: [{ audience: "a" }] })
    assert.strictEqual(warnings?.(requests, undefined).length, 1)
    assert.deepStrictEqual(warnings?.(requests, requests), [])
    assert.deepStrictEqual(warnings?.(driver({}), undefined), [])
    const said = driver({ tokenRequests: [{ audience: "b" }], serviceAccountTokenInSecrets: false })
    assert.deepStrictEqual(warnings?.(said, requests), [])
  })
})

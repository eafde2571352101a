import { assert, describe, it } from "@effect/vitest"
import type { Pod, Status } from "@rollcall/api"
import { pod } from "../core/testServer.ts"
import { makeSecuredTestServer, type SecuredTestServer } from "./securedTestServer.ts"

const account = (testServer: SecuredTestServer, more: object = {}) =>
  testServer.create("ServiceAccount", {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: "default", namespace: "default" },
    ...more
  })
const created = (testServer: SecuredTestServer, spec: object = {}, metadata: object = {}): Pod =>
  testServer.create("Pod", pod("p", spec, metadata))
const refusalFor = (testServer: SecuredTestServer, spec: object): Status =>
  testServer.refusalOf({ verb: "create", kind: "Pod", namespace: "default", object: pod("p", spec) })
const mounts = ({ spec }: Pod) =>
  spec.containers.map(({ volumeMounts }) => volumeMounts?.map(({ mountPath }) => mountPath))

describe("ServiceAccount admission", () => {
  it("gives a pod its account and the account's token", () => {
    const testServer = makeSecuredTestServer()
    account(testServer, { imagePullSecrets: [{ name: "registry" }] })
    const { spec } = created(testServer, { initContainers: [{ name: "i", image: "i" }] })
    const name = spec.volumes?.[0]?.name ?? ""
    assert.match(name, /^kube-api-access-[a-z0-9]{5}$/)
    assert.strictEqual(spec.serviceAccountName, "default")
    const mount = { name, readOnly: true, mountPath: "/var/run/secrets/kubernetes.io/serviceaccount" }
    assert.deepStrictEqual(spec.containers[0]?.volumeMounts, [mount])
    assert.deepStrictEqual(spec.initContainers?.[0]?.volumeMounts, [mount])
    assert.deepStrictEqual(spec.imagePullSecrets, [{ name: "registry" }])
  })
  it("mounts nothing if pod or account disable it, or a mount exists", () => {
    const without = (spec: object, more: object = {}) => {
      const testServer = makeSecuredTestServer()
      account(testServer, more)
      return mounts(created(testServer, spec))
    }
    assert.deepStrictEqual(without({ automountServiceAccountToken: false }), [undefined])
    assert.deepStrictEqual(without({}, { automountServiceAccountToken: false }), [undefined])
    assert.strictEqual(
      without({ automountServiceAccountToken: true }, { automountServiceAccountToken: false })[0]?.length,
      1
    )
    const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount"
    const own = {
      containers: [{ name: "c", image: "i", volumeMounts: [{ name: "v", mountPath }] }],
      volumes: [{ name: "v", emptyDir: {} }]
    }
    assert.deepStrictEqual(without(own), [[mountPath]])
  })
  it("limits the Secrets of pods to those of an account that says so", () => {
    const limited = { secrets: [{ name: "ok" }], imagePullSecrets: [{ name: "pull" }] }
    const annotated = (value: string) => ({
      metadata: {
        name: "default",
        namespace: "default",
        annotations: { "kubernetes.io/enforce-mountable-secrets": value }
      },
      ...limited
    })
    const from = (name: string) => ({ env: [{ name: "E", valueFrom: { secretKeyRef: { name, key: "k" } } }] })
    const all = (name: string) => ({ envFrom: [{ secretRef: { name } }] })
    const specs: ReadonlyArray<readonly [spec: object, what: string, kind?: string]> = [
      [{ volumes: [{ name: "v", secret: { secretName: "no" } }] }, 'volume with secret.secretName="no"'],
      [
        { initContainers: [{ name: "i", image: "i", ...from("no") }] },
        'init container i with envVar E referencing secret.secretName="no"'
      ],
      [
        { containers: [{ name: "c", image: "i", ...all("no") }] },
        'container c with envFrom referencing secret.secretName="no"'
      ],
      [{ imagePullSecrets: [{ name: "pull" }, { name: "no" }] }, 'imagePullSecrets[1].name="no"', "imagePullSecret"]
    ]
    const testServer = makeSecuredTestServer()
    account(testServer, annotated("T"))
    for (const [spec, what, kind = "secret"] of specs) {
      assert.strictEqual(
        refusalFor(testServer, spec).message,
        `pods "p" is forbidden: ${what} is not allowed because service account default does not reference that ${kind}`
      )
    }
    const allowed = { containers: [{ name: "c", image: "i", ...from("ok"), ...all("ok") }] }
    assert.deepStrictEqual(created(testServer, allowed).spec.imagePullSecrets, [{ name: "pull" }])
    const ephemeral = (name: string) =>
      ({
        verb: "update",
        kind: "Pod",
        subresource: "ephemeralcontainers",
        namespace: "default",
        name: "p",
        object: pod("p", { ...allowed, ephemeralContainers: [{ name: "e", image: "i", ...from(name) }] })
      }) as const
    assert.strictEqual(
      testServer.refusalOf(ephemeral("no")).message,
      'pods "p" is forbidden: ephemeral container e with envVar E referencing secret.secretName="no" is not allowed because service account default does not reference that secret'
    )
    testServer.ask(ephemeral("ok"))

    const free = makeSecuredTestServer()
    account(free, annotated("yes"))
    specs.forEach(([spec], index) => {
      free.create("Pod", pod(`p-${index}`, spec))
    })
  })
  it("refuses a pod of a missing account", () => {
    const testServer = makeSecuredTestServer()
    const missing = (name: string) =>
      `pods "p" is forbidden: error looking up service account default/${name}: serviceaccount "${name}" not found`
    const began = testServer.time.timers.now()
    assert.strictEqual(refusalFor(testServer, { serviceAccountName: "own" }).message, missing("own"))
    assert.isAtMost(testServer.time.timers.now() - began, 100, "only the account default is waited for")
    assert.strictEqual(refusalFor(testServer, {}).message, missing("default"))
  })
  it("lets a pod wait for the account that its new namespace is about to get", () => {
    const testServer = makeSecuredTestServer()
    const answers: Array<unknown> = []
    const request = { verb: "create", kind: "Pod", namespace: "default", object: pod("p") } as const
    testServer.connection.send(request, (result) => answers.push(result))
    testServer.advance(1000)
    assert.deepStrictEqual(answers, [])
    account(testServer)
    testServer.advance(200)
    assert.strictEqual(answers.length, 1)
    assert.strictEqual(testServer.get("Pod", "p")?.spec.serviceAccountName, "default")
    assert.deepStrictEqual(mounts(testServer.get("Pod", "p") as Pod), [
      ["/var/run/secrets/kubernetes.io/serviceaccount"]
    ])
  })
})

describe("RuntimeClass admission", () => {
  const prepared = () => {
    const testServer = makeSecuredTestServer()
    account(testServer)
    testServer.create("RuntimeClass", {
      apiVersion: "node.k8s.io/v1",
      kind: "RuntimeClass",
      metadata: { name: "gvisor" },
      handler: "runsc",
      overhead: { podFixed: { cpu: "250m" } },
      scheduling: { nodeSelector: { runtime: "gvisor" }, tolerations: [{ key: "gvisor", operator: "Exists" }] }
    })
    return testServer
  }
  const gvisor = { runtimeClassName: "gvisor" }
  it("gives a pod its runtime's overhead and scheduling", () => {
    const { spec } = created(prepared(), { ...gvisor, nodeSelector: { zone: "a" } })
    assert.deepStrictEqual(spec.overhead, { cpu: "250m" })
    assert.deepStrictEqual(spec.nodeSelector, { zone: "a", runtime: "gvisor" })
    assert.deepInclude(spec.tolerations ?? [], { key: "gvisor", operator: "Exists" })
  })
  const refusals: ReadonlyArray<readonly [object, string]> = [
    [{ runtimeClassName: "none" }, 'pod rejected: RuntimeClass "none" not found'],
    [
      { ...gvisor, overhead: { cpu: "1" } },
      "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"
    ],
    [{ overhead: { cpu: "1" } }, "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"],
    [
      { ...gvisor, nodeSelector: { runtime: "runc" } },
      "conflict: runtimeClass.scheduling.nodeSelector[runtime] = gvisor; pod.spec.nodeSelector[runtime] = runc"
    ]
  ]
  it.each(refusals)("refuses %j", (spec, why) => {
    assert.strictEqual(refusalFor(prepared(), spec).message, `pods "p" is forbidden: ${why}`)
  })
})

describe("StorageObjectInUseProtection", () => {
  it("protects claims in use from deletion", () => {
    const claim = makeSecuredTestServer().create("PersistentVolumeClaim", {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "c", namespace: "default" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } }
    })
    assert.deepStrictEqual(claim.metadata.finalizers, ["kubernetes.io/pvc-protection"])
  })
})

describe("DefaultStorageClass", () => {
  const claim = (storageClassName?: string) => ({
    apiVersion: "v1" as const,
    kind: "PersistentVolumeClaim" as const,
    metadata: { name: "c", namespace: "default" },
    spec: {
      accessModes: ["ReadWriteOnce" as const],
      resources: { requests: { storage: "1Gi" } },
      ...(storageClassName === undefined ? {} : { storageClassName })
    }
  })
  const classNamed = (name: string, isDefault: string) => ({
    apiVersion: "storage.k8s.io/v1" as const,
    kind: "StorageClass" as const,
    metadata: { name, annotations: { "storageclass.kubernetes.io/is-default-class": isDefault } },
    provisioner: "example.com/p"
  })

  it("gives claims without a class the default class, if there is one", () => {
    const testServer = makeSecuredTestServer()
    assert.isUndefined(testServer.create("PersistentVolumeClaim", claim()).spec?.storageClassName)
    const later = makeSecuredTestServer()
    later.create("StorageClass", classNamed("a-other", "false"))
    later.create("StorageClass", classNamed("standard", "true"))
    assert.strictEqual(later.create("PersistentVolumeClaim", claim()).spec?.storageClassName, "standard")
    const said = { ...claim(""), metadata: { name: "d", namespace: "default" } }
    assert.strictEqual(later.create("PersistentVolumeClaim", said).spec?.storageClassName, "")
  })
})

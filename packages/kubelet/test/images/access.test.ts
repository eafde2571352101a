import type { KubeObject } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import type { KubeletMeter } from "../../src/index.ts"
import { createPod, type StartedKubelet, states, statusOf } from "../pod/lifeOf.ts"
import { dockerConfigSecret, imageContainer, imageEvents, setUpImages } from "./setUpImages.ts"

const image = "registry.example/team/app:1"
const secretOf = (name: string, fields: object, uid = name) =>
  ({ apiVersion: "v1", kind: "Secret", metadata: { name, namespace: "default", uid }, ...fields }) as KubeObject

const createSecret = ({ api }: StartedKubelet, name: string, password = "secret", user = "user") =>
  api.ask({
    verb: "create",
    kind: "Secret",
    namespace: "default",
    object: secretOf(name, dockerConfigSecret("https://registry.example/team", user, password))
  })

const pull = (testNode: StartedKubelet, name: string, secrets: ReadonlyArray<string>, policy?: string) =>
  createPod(testNode, name, {
    containers: [imageContainer(image, policy)],
    imagePullSecrets: secrets.map((secret) => ({ name: secret }))
  })

const checks = () => {
  const seen: Array<string> = []
  const meter = new Proxy({} as KubeletMeter, {
    get: (_, method) => (result: string) => {
      if (method === "imageAccessChecked") seen.push(result)
    }
  })
  return { meter, seen }
}

const closed = { credentials: { "registry.example": "user:secret" } }

describe("a registry that asks for credentials", () => {
  it("lets in whoever has a pull secret for it", () => {
    const { testNode } = setUpImages({ images: closed })
    createSecret(testNode, "good")
    pull(testNode, "a", ["good"])
    pull(testNode, "b", [])
    // The next sync shows why the one before has not started the container.
    testNode.untilMs(7_500)
    assert.strictEqual(states(testNode, "a"), "c running")
    assert.strictEqual(states(testNode, "b"), "c ErrImagePull")
    assert.strictEqual(
      statusOf(testNode, "b", "c")?.state?.waiting?.message,
      'rpc error: code = Unknown desc = failed to pull and unpack image "registry.example/team/app:1": failed to resolve reference "registry.example/team/app:1": pull access denied, repository does not exist or may require authorization: authorization failed: no basic auth credentials'
    )
  })

  it("is asked with all secrets, and told once what each has failed with", () => {
    const { events, testNode } = setUpImages({ images: closed })
    createSecret(testNode, "bad", "wrong")
    createSecret(testNode, "worse", "wronger")
    createSecret(testNode, "good")
    pull(testNode, "a", ["bad", "good"])
    testNode.untilMs(6_500)
    assert.strictEqual(states(testNode, "a"), "c running")
    assert.lengthOf(
      imageEvents(events).filter((event) => event.includes("Pulling")),
      1
    )
    pull(testNode, "b", ["bad", "worse"], "Always")
    testNode.untilMs(18_600)
    assert.match(
      statusOf(testNode, "b", "c")?.state?.waiting?.message ?? "",
      /ErrImagePull: rpc .* incorrect username or password$/
    )
  })

  it("lets in a machine whose docker config file has them, for all its pods", () => {
    const dockerConfig = { "https://registry.example/v2/": "user:secret" }
    const { testNode } = setUpImages({ images: { ...closed, dockerConfig } })
    createSecret(testNode, "bad", "wrong")
    pull(testNode, "a", ["bad"])
    testNode.untilMs(8_000)
    assert.strictEqual(states(testNode, "a"), "c running", "after what its secret has failed with")
    pull(testNode, "b", [], "Never")
    testNode.untilMs(12_000)
    assert.strictEqual(states(testNode, "b"), "c running")
  })

  it("may be that of one container only, by its behaviour", () => {
    const { testNode } = setUpImages({})
    createPod(testNode, "a", {
      containers: [imageContainer(image)],
      behaviour: { c: { imagePullCredentials: "user:secret" } }
    })
    testNode.untilMs(7_500)
    assert.strictEqual(states(testNode, "a"), "c ErrImagePull")
  })
})

describe("an image that was pulled with credentials", () => {
  it("is for pods with them, or with their content, and otherwise pulled again", () => {
    const { meter, seen } = checks()
    const { events, testNode } = setUpImages({ images: closed, meter })
    createSecret(testNode, "good")
    createSecret(testNode, "same")
    createSecret(testNode, "other", "secret", "someone")
    pull(testNode, "a", ["good"])
    testNode.untilMs(8_000)
    events.length = 0
    pull(testNode, "b", ["good"])
    pull(testNode, "d", ["same"])
    testNode.untilMs(11_000)
    const present = `Normal Pulled Container image "${image}" already present on machine and can be accessed by the pod`
    assert.deepStrictEqual(imageEvents(events), [present, present])
    events.length = 0
    pull(testNode, "e", ["other"])
    pull(testNode, "f", [], "Never")
    testNode.untilMs(13_500)
    assert.strictEqual(states(testNode, "e"), "c ErrImagePull")
    assert.strictEqual(states(testNode, "f"), "c ErrImageNeverPull")
    assert.include(
      imageEvents(events),
      `Warning ErrImageNeverPull Container image "${image}" is not present with pull policy of Never`
    )
    assert.deepStrictEqual(seen.slice(0, 3), ["credentialRecordFound", "credentialRecordFound", "mustAuthenticate"])
  })

  it("is for all without the feature, or with the policy NeverVerify", () => {
    const off = setUpImages({ images: closed })
    const gates = { ...off.kubelet.config.featureGates, KubeletEnsureSecretPulledImages: false }
    for (const config of [{ featureGates: gates }, { imagePullCredentialsVerificationPolicy: "NeverVerify" }]) {
      const { testNode } = setUpImages({ images: closed, config })
      createSecret(testNode, "good")
      pull(testNode, "a", ["good"])
      testNode.untilMs(8_000)
      pull(testNode, "b", [])
      testNode.untilMs(11_000)
      assert.strictEqual(states(testNode, "b"), "c running")
    }
  })

  it("stays so after a restart of the kubelet", () => {
    const { testNode } = setUpImages({ images: closed })
    createSecret(testNode, "good")
    pull(testNode, "a", ["good"])
    testNode.untilMs(8_000)
    testNode.kubelet.stopKubelet()
    testNode.untilMs(9_000)
    testNode.kubelet.startKubelet()
    testNode.untilMs(10_000)
    pull(testNode, "b", [])
    testNode.untilMs(12_500)
    assert.strictEqual(states(testNode, "b"), "c ErrImagePull")
  })
})

describe("an image that was on the node before", () => {
  const present = { present: [image], ...closed }
  const stateWith = (config: Parameters<typeof setUpImages>[0]["config"] = {}): string => {
    const { testNode } = setUpImages({ images: present, config })
    pull(testNode, "a", [])
    testNode.untilMs(7_500)
    return states(testNode, "a")
  }

  it("is for all, unless the policy says otherwise", () => {
    assert.strictEqual(stateWith(), "c running")
    assert.strictEqual(stateWith({ imagePullCredentialsVerificationPolicy: "AlwaysVerify" }), "c ErrImagePull")
  })

  it("is for all that are on the allow list", () => {
    const stateFor = (...list: ReadonlyArray<string>) =>
      stateWith({
        imagePullCredentialsVerificationPolicy: "NeverVerifyAllowlistedImages",
        preloadedImagesVerificationAllowlist: list
      })
    assert.deepStrictEqual(
      [stateFor("registry.example/*"), stateFor("registry.example/team/app"), stateFor("registry.example/team")],
      ["c running", "c running", "c ErrImagePull"]
    )
  })
})

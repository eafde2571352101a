import { assert, describe, it } from "@effect/vitest"
import type { Pod } from "@rollcall/api"
import { appArmorWarnings, withAppArmorFields } from "../../src/core/registry/appArmor.ts"

const prefix = "container.apparmor.security.beta.kubernetes.io/"

const podOf = (annotations: Readonly<Record<string, string>>, spec: object = {}): Pod =>
  ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "p",
      annotations: Object.fromEntries(Object.entries(annotations).map(([name, value]) => [`${prefix}${name}`, value]))
    },
    spec: { containers: [{ name: "a" }, { name: "b" }], ...spec }
  }) as Pod

const profilesOf = (pod: Pod) =>
  withAppArmorFields(pod).spec.containers.map(
    ({ securityContext }) => (securityContext as { appArmorProfile?: object } | undefined)?.appArmorProfile
  )

describe("AppArmor annotations", () => {
  it("become the fields of containers that have none, with a warning", () => {
    const pod = podOf({ a: "unconfined", b: "localhost/x" })
    assert.deepStrictEqual(profilesOf(pod), [{ type: "Unconfined" }, { type: "Localhost", localhostProfile: "x" }])
    assert.deepStrictEqual(
      appArmorWarnings(pod),
      ["a", "b"].map(
        (name) =>
          `metadata.annotations[${prefix}${name}]: deprecated since v1.30; use the "appArmorProfile" field instead`
      )
    )
  })

  it("stay annotations where the pod has the same profile, where the container has one, and on Windows", () => {
    const securityContext = { appArmorProfile: { type: "Unconfined" } }
    const same = podOf({ a: "unconfined" }, { securityContext })
    const own = podOf({ a: "unconfined" }, { containers: [{ name: "a", securityContext }] })
    const windows = podOf({ a: "unconfined" }, { os: { name: "windows" } })
    for (const pod of [same, own, windows]) assert.deepStrictEqual(appArmorWarnings(pod), [])
    assert.strictEqual(withAppArmorFields(windows), windows)
    assert.deepStrictEqual(profilesOf(same), [undefined, undefined])
    assert.deepStrictEqual(profilesOf(own), [{ type: "Unconfined" }])
  })

  it("warn, and become no field, if no field can have them", () => {
    for (const value of ["", "foo", "localhost/", "localhost/ x", `localhost/${"x".repeat(4096)}`]) {
      const pod = podOf({ a: value })
      assert.deepStrictEqual(profilesOf(pod), [undefined, undefined], value)
      assert.strictEqual(appArmorWarnings(pod).length, 1, value)
    }
  })

  it("cost nothing in pods without them", () => {
    const pod = podOf({})
    assert.strictEqual(withAppArmorFields(pod), pod)
  })
})

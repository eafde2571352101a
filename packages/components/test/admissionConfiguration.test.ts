import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import { formatLevelVersion, modes } from "@rollcall/pod-security"
import * as Effect from "effect/Effect"
import { readAdmissionConfiguration } from "../src/apiserver/admissionConfiguration.ts"

const admission = (...plugins: ReadonlyArray<object>) => ({
  apiVersion: "apiserver.config.k8s.io/v1",
  kind: "AdmissionConfiguration",
  plugins
})

const podSecurity = (fields: object, version = "v1") => ({
  apiVersion: `pod-security.admission.config.k8s.io/${version}`,
  kind: "PodSecurityConfiguration",
  ...fields
})

const embedded = (fields: object, version?: string) =>
  admission({ name: "PodSecurity", configuration: podSecurity(fields, version) })

/** Reads a configuration from `admission.json`, beside the files that it names. */
const read = (configuration: object, files: Readonly<Record<string, object>> = {}) =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "admission-"))),
      (made) => Effect.sync(() => rmSync(made, { recursive: true }))
    )
    for (const [name, content] of Object.entries({ ...files, "admission.json": configuration }))
      writeFileSync(join(folder, name), JSON.stringify(content))
    return yield* readAdmissionConfiguration(join(folder, "admission.json"))
  }).pipe(Effect.provide(NodeFileSystem.layer))

describe("the admission configuration", () => {
  for (const version of ["v1", "v1beta1", "v1alpha1"])
    it.effect(`has defaults and exemptions of PodSecurity in ${version}`, () =>
      Effect.gen(function* () {
        const exemptions = { usernames: ["kate"], namespaces: ["free"] }
        const fields = { defaults: { enforce: "baseline", "enforce-version": "v1.30", audit: "" }, exemptions }
        const configuration = yield* read(embedded(fields, version))
        assert.deepStrictEqual(configuration?.exemptions, { ...exemptions, runtimeClasses: [] })
        assert.deepStrictEqual(
          modes.map((mode) => configuration && formatLevelVersion(configuration.defaults[mode])),
          ["baseline:v1.30", "privileged:latest", "privileged:latest"]
        )
      })
    )

  it.effect("may name a file, relative to its own", () =>
    Effect.gen(function* () {
      const other = { name: "ResourceQuota", path: "missing.yaml" }
      const configuration = yield* read(admission(other, { name: "PodSecurity", path: "own.json" }), {
        "own.json": podSecurity({ defaults: { warn: "restricted" } })
      })
      assert.strictEqual(configuration?.defaults.warn.level, "restricted")
    })
  )

  it.effect("may say nothing about PodSecurity", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* read(admission({ name: "PodSecurity" })))
      assert.isUndefined(yield* read({ ...admission(), plugins: null }))
    })
  )

  it.effect("is refused with the place of each error", () =>
    Effect.gen(function* () {
      const messageOf = (configuration: object) =>
        Effect.map(Effect.flip(read(configuration)), ({ message }) => message.replaceAll(/\S*admission\.json: /g, ""))
      assert.strictEqual(
        yield* messageOf(embedded({ defaults: { enforce: "basline", "warn-version": "1.2" } })),
        'plugins[0].configuration.defaults.enforce: found "basline", expected "privileged" | "baseline" | "restricted"; did you mean "baseline"?\n' +
          'plugins[0].configuration.defaults.warn-version: found "1.2", expected latest, or a minor release such as v1.30'
      )
      assert.strictEqual(
        yield* messageOf(embedded({ exemptions: { usernames: ["", "a", "a"], namespaces: ["b", "B"] } })),
        "plugins[0].configuration.exemptions.namespaces[1]: a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')\n" +
          "plugins[0].configuration.exemptions.usernames[0]: username must not be empty\n" +
          'plugins[0].configuration.exemptions.usernames[2]: found "a" twice'
      )
      assert.include(yield* messageOf(embedded({}, "v2")), "plugins[0].configuration.apiVersion: found")
      assert.include(yield* messageOf(embedded({ exemption: {} })), "exemption")
      assert.include(yield* messageOf({ kind: "Pod" }), "kind: found")
    })
  )
})

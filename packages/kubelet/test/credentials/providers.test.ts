import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { decodeProviders, providersOf } from "../../src/index.ts"

const V1 = "credentialprovider.kubelet.k8s.io/v1"
const good = { name: "helper", matchImages: ["*.example.com"], defaultCacheDuration: "10m", apiVersion: V1 }
const attributes = { serviceAccountTokenAudience: "a", cacheType: "Token", requireServiceAccount: true }

const read = (providers: ReadonlyArray<object>, allowsTokens = true, head: object = {}) =>
  Result.flatMap(
    decodeProviders("f.yaml", {
      apiVersion: "kubelet.config.k8s.io/v1",
      kind: "CredentialProviderConfig",
      providers,
      ...head
    }),
    (given) => providersOf("f.yaml", [given], allowsTokens)
  )

const problemOf = (...asked: Parameters<typeof read>): string =>
  Result.match(read(...asked), {
    onSuccess: () => "accepted",
    onFailure: ({ problems }) => problems.map(({ message }) => message).join("; ")
  }).replace("failed to validate credential provider config: ", "")

describe("a CredentialProviderConfig", () => {
  it("has plugins, in the order of its files", () => {
    const env = [{ name: "A", value: "1" }]
    const found = Result.getOrThrow(
      read([
        { ...good, args: ["get"], env, tokenAttributes: attributes },
        { ...good, name: "b" }
      ])
    )
    assert.deepStrictEqual(found[0], {
      name: "helper",
      matchImages: ["*.example.com"],
      defaultCacheMs: 600_000,
      apiVersion: V1,
      args: ["get"],
      env,
      token: {
        audience: "a",
        cacheType: "Token",
        requireServiceAccount: true,
        requiredAnnotations: [],
        optionalAnnotations: []
      }
    })
    assert.strictEqual(found[1]?.name, "b")
    assert.isUndefined(found[1]?.token)
  })

  it("is refused as kubelet refuses it", () => {
    assert.strictEqual(problemOf([]), "providers: Required value: at least 1 item in plugins is required")
    assert.strictEqual(
      problemOf([{}]),
      "[providers.apiVersion: Required value, providers.matchImages: Required value: at least 1 item in matchImages is required, providers.defaultCacheDuration: Required value]"
    )
    assert.strictEqual(
      problemOf([{ ...good, name: "a/b" }]),
      "providers.name: Invalid value: \"a/b\": provider name cannot contain '/'"
    )
    assert.strictEqual(
      problemOf([{ ...good, apiVersion: "v2" }]),
      'providers.apiVersion: Unsupported value: "v2": supported values: "credentialprovider.kubelet.k8s.io/v1", "credentialprovider.kubelet.k8s.io/v1alpha1", "credentialprovider.kubelet.k8s.io/v1beta1"'
    )
    assert.strictEqual(problemOf([good, good]), 'duplicate provider name "helper" found in configuration file(s)')
    assert.match(problemOf([{ ...good, colour: "red" }]), /^unknown field/)
    assert.match(problemOf([good], true, { kind: "KubeletConfiguration" }), /^expected a CredentialProviderConfig/)
  })

  it("has attributes of tokens that fit together", () => {
    const at = "providers.tokenAttributes"
    const withToken = (given: object, version = V1) => [
      { ...good, apiVersion: version, tokenAttributes: { ...attributes, ...given } }
    ]
    assert.strictEqual(
      problemOf(withToken({}), false),
      `${at}: Forbidden: tokenAttributes is not supported when KubeletServiceAccountTokenForCredentialProviders feature gate is disabled`
    )
    assert.strictEqual(
      problemOf(withToken({}, "credentialprovider.kubelet.k8s.io/v1beta1")),
      `${at}: Forbidden: tokenAttributes is only supported for ${V1} API version`
    )
    assert.strictEqual(
      problemOf(withToken({ requireServiceAccount: false, requiredServiceAccountAnnotationKeys: ["a"] })),
      `${at}.requiredServiceAccountAnnotationKeys: Forbidden: requireServiceAccount cannot be false when requiredServiceAccountAnnotationKeys is set`
    )
    const both = { requiredServiceAccountAnnotationKeys: ["a"], optionalServiceAccountAnnotationKeys: ["a"] }
    assert.strictEqual(
      problemOf(withToken(both)),
      `${at}: Invalid value: ["a"]: annotation keys cannot be both required and optional`
    )
    assert.strictEqual(
      problemOf(withToken({ cacheType: "" })),
      `${at}.cacheType: Required value: cacheType is required to be set when tokenAttributes is specified. Supported values are: ServiceAccount, Token`
    )
  })
})

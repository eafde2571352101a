import { assert, describe, it } from "@effect/vitest"
import type { KubeObject, Secret, ServiceAccount } from "@rollcall/api"
import type { SecuritySource } from "../../src/core/ports/Security.ts"
import { bearerTokens } from "../../src/security/authentication/authenticators.ts"
import { signingKey } from "../../src/security/authentication/jwt.ts"
import { legacyTokens } from "../../src/security/authentication/legacyTokens.ts"
import { legacyTokenSigner } from "../../src/security/index.ts"
import { tokenReviews } from "../../src/security/reviews/identityReviews.ts"
import { START_MS } from "../core/testServer.ts"
import { ISSUER, makeSecuredTestServer, newKeyPem, person } from "./securedTestServer.ts"

const NAMESPACE = "default"
const admin = person("admin", "system:masters")
const LAST_USED = "kubernetes.io/legacy-token-last-used"
const INVALID_SINCE = "kubernetes.io/legacy-token-invalid-since"

const encoded = (text: string) => Buffer.from(text).toString("base64")

/** A server with an account, and a Secret that holds its token. */
const serverWithToken = () => {
  const keyPem = newKeyPem()
  const server = makeSecuredTestServer({ serviceAccounts: { issuer: ISSUER, privateKeyPem: keyPem } })
  server.create("ServiceAccount", {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: "robot", namespace: NAMESPACE }
  })
  const metadata = {
    name: "robot-token",
    namespace: NAMESPACE,
    annotations: { "kubernetes.io/service-account.name": "robot" }
  }
  const secret: Secret = { apiVersion: "v1", kind: "Secret", metadata, type: "kubernetes.io/service-account-token" }
  const sign = legacyTokenSigner(keyPem)
  const account = server.get("ServiceAccount", "robot") as ServiceAccount
  const token = sign(account, secret)
  server.create("Secret", { ...secret, data: { token: encoded(token) } })
  const review = (given = token, audiences?: ReadonlyArray<string>) => {
    const spec = { token: given, ...(audiences === undefined ? {} : { audiences }) }
    const { status } = server.review(admin, "TokenReview", { spec }) as unknown as {
      readonly status: { readonly authenticated?: boolean; readonly error?: string; readonly user?: object }
    }
    return status
  }
  const secretNow = () => server.get("Secret", "robot-token") as Secret
  return { server, account, sign, secret, token, review, secretNow }
}

describe("the token that a Secret holds", () => {
  it("names its account, for this server's audience", () => {
    const { account, review } = serverWithToken()
    assert.deepStrictEqual(review().user, {
      username: "system:serviceaccount:default:robot",
      uid: account.metadata.uid,
      groups: ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"]
    })
    const error = `token audiences ["${ISSUER}"] is invalid for the target audiences ["x"]`
    assert.strictEqual(review(undefined, ["x"]).error, `[invalid bearer token, ${error}]`)
    assert.isTrue(review(undefined, ["x", ISSUER]).authenticated)
  })

  it("is labelled with the last day on which it was used", () => {
    const { review, secretNow, server } = serverWithToken()
    review()
    server.advance(1)
    assert.strictEqual(secretNow().metadata.labels?.[LAST_USED], new Date(START_MS).toISOString().slice(0, 10))
    const { resourceVersion } = secretNow().metadata
    review()
    server.advance(1)
    assert.strictEqual(secretNow().metadata.resourceVersion, resourceVersion)
  })

  it("is refused when it was marked, replaced, signed by another key, or made for an account of another uid", () => {
    const { account, review, secret, secretNow, server, sign } = serverWithToken()
    const update = (change: Partial<Secret>) =>
      server.ask({
        verb: "update",
        kind: "Secret",
        namespace: NAMESPACE,
        name: "robot-token",
        object: { ...secretNow(), ...change }
      })
    const labels = { [INVALID_SINCE]: "2026-01-01" }
    update({ metadata: { ...secretNow().metadata, labels } })
    assert.match(review().error ?? "", /token in secret default\/robot-token .* has been marked invalid/)
    update({ metadata: { ...secretNow().metadata, labels: {} } })
    assert.isTrue(review().authenticated)
    const ofOther = sign({ ...account, metadata: { ...account.metadata, uid: "u" } }, secret)
    assert.match(review(ofOther).error ?? "", /Token does not match server's copy/)
    update({ data: { token: encoded(ofOther) } })
    assert.match(review(ofOther).error ?? "", /ServiceAccount UID \(.*\) does not match claim \(u\)/)
    assert.match(
      review(legacyTokenSigner(newKeyPem())(account, secret)).error ?? "",
      /error in cryptographic primitive/
    )
  })

  it("ends with its Secret and its account", () => {
    const { review, server } = serverWithToken()
    const remove = (kind: "Secret" | "ServiceAccount", name: string) =>
      server.ask({ verb: "delete", kind, namespace: NAMESPACE, name })
    remove("ServiceAccount", "robot")
    assert.match(review().error ?? "", /serviceaccounts "robot" not found/)
    remove("Secret", "robot-token")
    assert.match(review().error ?? "", /Token has been invalidated/)
  })
})

describe("the caller with the token of a Secret", () => {
  it("is warned if the token was made for its account, not by someone", () => {
    const keyPem = newKeyPem()
    const account: ServiceAccount = {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: "robot", namespace: NAMESPACE, uid: "u" }
    }
    const metadata = { name: "robot-token", namespace: NAMESPACE }
    const secret: Secret = { apiVersion: "v1", kind: "Secret", metadata }
    const token = legacyTokenSigner(keyPem)(account, secret)
    const warningsWith = (secrets: ServiceAccount["secrets"]) => {
      const get = (kind: string) =>
        kind === "Secret" ? { ...secret, data: { token: encoded(token) } } : { ...account, ...(secrets && { secrets }) }
      const source = { get, label: () => {}, now: () => START_MS } as unknown as SecuritySource
      const warnings: Array<string> = []
      const { authenticate } = bearerTokens(legacyTokens([signingKey(keyPem)], [ISSUER], source), [ISSUER])
      const headers = { authorization: `Bearer ${token}` }
      const user = authenticate({ headers, certificate: undefined, warn: (text) => warnings.push(text) })
      assert.propertyVal(user, "user", "system:serviceaccount:default:robot")
      const reviewed: Array<string> = []
      tokenReviews(legacyTokens([signingKey(keyPem)], [ISSUER], source), [ISSUER]).create({
        user: { user: "admin", groups: [] },
        namespace: "",
        name: "",
        object: {
          apiVersion: "authentication.k8s.io/v1",
          kind: "TokenReview",
          metadata: {},
          spec: { token }
        } as KubeObject,
        dryRun: false,
        warn: (text) => reviewed.push(text)
      })
      assert.deepStrictEqual(reviewed, warnings)
      return warnings
    }
    assert.deepStrictEqual(warningsWith([{ name: "robot-token" }]), [
      "Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens."
    ])
    assert.deepStrictEqual(warningsWith([{ name: "other" }]), [])
  })
})

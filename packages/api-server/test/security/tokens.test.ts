import { X509Certificate } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { KubeObject, Status } from "@rollcall/api"
import { openPki } from "@rollcall/pki"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { clientCertificates } from "../../src/security/authentication/authenticators.ts"
import { signingKey, signJwt } from "../../src/security/authentication/jwt.ts"
import { pod, START_MS } from "../core/testServer.ts"
import { ISSUER, makeSecuredTestServer, newKeyPem, person, type SecuredTestServer } from "./securedTestServer.ts"

const admin = person("admin", "system:masters")
const HOUR_MS = 3_600_000

interface TokenRequest extends KubeObject {
  readonly spec: { readonly audiences: ReadonlyArray<string>; readonly expirationSeconds: number }
  readonly status: { readonly token: string; readonly expirationTimestamp: string }
}

const makeServerWithAccounts = (keyPem = newKeyPem()): SecuredTestServer => {
  const testServer = makeSecuredTestServer({
    serviceAccounts: { issuer: ISSUER, privateKeyPem: keyPem },
    tokens: [{ token: "bootstrap", user: "joiner", uid: "7", groups: ["system:bootstrappers"] }]
  })
  testServer.create("ServiceAccount", {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: "robot", namespace: "default" }
  })
  testServer.create("Pod", pod("p", { serviceAccountName: "robot" }))
  return testServer
}

const request = (testServer: SecuredTestServer, spec: object = {}, name = "robot") =>
  testServer.review(admin, "TokenRequest", { spec }, { namespace: "default", name })
const tokenFor = (testServer: SecuredTestServer, spec: object = {}): string => {
  const answer = request(testServer, spec)
  assert.strictEqual(answer.kind, "TokenRequest", JSON.stringify(answer))
  return (answer as TokenRequest).status.token
}
const authenticateHeader = (testServer: SecuredTestServer, authorization: string | undefined) =>
  testServer.security.authenticator.authenticate({ headers: { authorization }, certificate: undefined })
const authenticateBearer = (testServer: SecuredTestServer, token: string) =>
  authenticateHeader(testServer, `Bearer ${token}`)
const boundTo = (kind: string, name: string, uid = "") => ({ boundObjectRef: { apiVersion: "v1", kind, name, uid } })

describe("service account tokens", () => {
  it("identify their account, with the objects that they are bound to", () => {
    const testServer = makeServerWithAccounts()
    const uidOf = (kind: "Pod" | "ServiceAccount", name: string) => testServer.get(kind, name)?.metadata.uid
    const user = authenticateBearer(testServer, tokenFor(testServer, boundTo("Pod", "p")))
    if (user === undefined || user === "invalid") throw new Error("not believed")
    const { extra = {}, ...rest } = user
    assert.deepStrictEqual(rest, {
      user: "system:serviceaccount:default:robot",
      uid: uidOf("ServiceAccount", "robot") ?? "",
      groups: ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"]
    })
    assert.deepStrictEqual(extra["authentication.kubernetes.io/pod-name"], ["p"])
    assert.deepStrictEqual(extra["authentication.kubernetes.io/pod-uid"], [uidOf("Pod", "p") ?? ""])
    assert.match(extra["authentication.kubernetes.io/credential-id"]?.[0] ?? "", /^JTI=[0-9a-f-]{36}$/)
  })

  it("are issued in process as over HTTP, to a node for the pods on it", () => {
    const testServer = makeServerWithAccounts()
    const projected = { sources: [{ serviceAccountToken: { path: "token" } }] }
    testServer.create(
      "Pod",
      pod("q", { serviceAccountName: "robot", nodeName: "n1", volumes: [{ name: "v", projected }] })
    )
    const ask = (node: string) => {
      let got: unknown
      const identity = { user: `system:node:${node}`, groups: ["system:nodes"], userAgent: "test" }
      const spec = { ...boundTo("Pod", "q", testServer.get("Pod", "q")?.metadata.uid), audiences: [] }
      const object = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", metadata: {}, spec }
      const address = { verb: "create", kind: "ServiceAccount", namespace: "default", name: "robot" } as const
      testServer.server.connect(identity).send({ ...address, subresource: "token", object }, (answer) => {
        got = Result.isSuccess(answer) ? answer.success : answer.failure.message
      })
      return got
    }
    const { spec, status } = ask("n1") as TokenRequest
    assert.strictEqual(spec.expirationSeconds, 3600)
    assert.notStrictEqual(authenticateBearer(testServer, status.token), "invalid")
    assert.match(String(ask("n2")), /node requested token bound to a pod scheduled on a different node$/)
  })

  it("last for an hour, with a minute of tolerance for clock skew", () => {
    const testServer = makeServerWithAccounts()
    const token = tokenFor(testServer)
    testServer.advance(HOUR_MS + 60_000)
    assert.notStrictEqual(authenticateBearer(testServer, token), "invalid")
    const late = makeServerWithAccounts()
    const unused = tokenFor(late)
    late.advance(HOUR_MS + 60_001)
    assert.strictEqual(authenticateBearer(late, unused), "invalid")
  })

  it("last for a year when the kubelet's mount requests them, and claim an hour", () => {
    const testServer = makeServerWithAccounts()
    const answer = request(testServer, { ...boundTo("Pod", "p"), expirationSeconds: 3607 }) as TokenRequest
    assert.strictEqual(answer.status.expirationTimestamp, "2026-01-01T01:00:07Z")
    testServer.advance(300 * 24 * HOUR_MS)
    assert.notStrictEqual(authenticateBearer(testServer, answer.status.token), "invalid")
  })

  it("end with the objects that they are bound to, and with their account", () => {
    const remove = (testServer: SecuredTestServer, kind: "Pod" | "ServiceAccount", name: string) =>
      testServer.ask({ verb: "delete", kind, name, namespace: "default", options: { gracePeriodSeconds: 0 } })
    const testServer = makeServerWithAccounts()
    const bound = tokenFor(testServer, boundTo("Pod", "p"))
    const free = tokenFor(testServer)
    remove(testServer, "Pod", "p")
    assert.strictEqual(authenticateBearer(testServer, bound), "invalid")
    assert.notStrictEqual(authenticateBearer(testServer, free), "invalid")
    // Another pod of the name is another pod.
    testServer.create("Pod", pod("p", { serviceAccountName: "robot" }))
    assert.strictEqual(authenticateBearer(testServer, bound), "invalid")
    remove(testServer, "ServiceAccount", "robot")
    // It was accepted a moment ago.
    assert.notStrictEqual(authenticateBearer(testServer, free), "invalid")
    testServer.advance(10_000)
    assert.strictEqual(authenticateBearer(testServer, free), "invalid")
  })

  it("are valid only for their audiences", () => {
    const testServer = makeServerWithAccounts()
    assert.strictEqual(authenticateBearer(testServer, tokenFor(testServer, { audiences: ["vault"] })), "invalid")
    assert.notStrictEqual(
      authenticateBearer(testServer, tokenFor(testServer, { audiences: ["vault", ISSUER] })),
      "invalid"
    )
  })

  it("of another server's key are refused", () => {
    const testServer = makeServerWithAccounts()
    const other = makeServerWithAccounts()
    assert.strictEqual(authenticateBearer(testServer, tokenFor(other)), "invalid")
  })

  it("are refused when any byte differs", () => {
    const testServer = makeServerWithAccounts()
    const token = tokenFor(testServer)
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.constantFrom(..."Aa0-_."), (at, letter) => {
        const changed = token.slice(0, at) + letter + token.slice(at + 1)
        // The last letter of a signature has two bits that say nothing.
        fc.pre(changed !== token && at < token.length - 1)
        assert.strictEqual(authenticateBearer(testServer, changed), "invalid")
      }),
      { numRuns: 300 }
    )
  })

  it("do not choose their own algorithm", () => {
    const keyPem = newKeyPem()
    const testServer = makeServerWithAccounts(keyPem)
    const [header = "", claims = "", signature = ""] = tokenFor(testServer).split(".")
    const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")
    assert.strictEqual(authenticateBearer(testServer, `${encoded({ alg: "none" })}.${claims}.`), "invalid")
    assert.strictEqual(authenticateBearer(testServer, `${encoded({ alg: "HS256" })}.${claims}.${signature}`), "invalid")
    assert.strictEqual(authenticateBearer(testServer, `${header}.${claims}.`), "invalid")
    // Signed by the right key, but claiming nothing that could be looked up.
    assert.strictEqual(authenticateBearer(testServer, signJwt(signingKey(keyPem), { iss: ISSUER })), "invalid")
  })
})

describe("TokenRequest", () => {
  const refusals: ReadonlyArray<readonly [object, string | undefined, number, string]> = [
    [{}, "none", 404, 'serviceaccounts "none" not found'],
    [
      { expirationSeconds: 599 },
      undefined,
      422,
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes'
    ],
    [boundTo("ConfigMap", "c"), undefined, 400, "cannot bind token to object of type /v1, Kind=ConfigMap"],
    [boundTo("Pod", "none"), undefined, 404, 'pods "none" not found'],
    [
      boundTo("Pod", "p", "x"),
      undefined,
      409,
      'Operation cannot be fulfilled on Pod "p": the UID in the bound object reference (x) does not match the UID in record. The object might have been deleted and then recreated'
    ]
  ]
  it.each(refusals)("refuses %j of %s with %i", (spec, name, code, message) => {
    const answer = request(makeServerWithAccounts(), spec, name ?? "robot") as Status
    assert.deepStrictEqual([answer.code, answer.message], [code, message])
  })
  it("refuses to bind to a pod of another account", () => {
    const testServer = makeServerWithAccounts()
    testServer.create("ServiceAccount", {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: "x", namespace: "default" }
    })
    assert.strictEqual((request(testServer, boundTo("Pod", "p"), "x") as Status).code, 400)
  })
})

describe("bearer tokens", () => {
  it("that were configured identify their users", () => {
    assert.deepStrictEqual(authenticateBearer(makeServerWithAccounts(), "bootstrap"), {
      user: "joiner",
      uid: "7",
      groups: ["system:bootstrappers", "system:authenticated"]
    })
  })
  it("are refused when unknown; a missing one, an empty one and another scheme are ignored", () => {
    const testServer = makeServerWithAccounts()
    assert.strictEqual(authenticateBearer(testServer, "unknown"), "invalid")
    for (const header of [undefined, "", "Bearer ", "Basic YTpi"])
      assert.strictEqual(authenticateHeader(testServer, header), undefined)
    assert.notStrictEqual(authenticateHeader(testServer, "bearer bootstrap"), undefined)
  })
})

describe("TokenReview", () => {
  const review = (spec: object) => {
    const testServer = makeServerWithAccounts()
    const token = "token" in spec ? spec.token : tokenFor(testServer)
    return testServer.review(admin, "TokenReview", { spec: { ...spec, token } }) as KubeObject & {
      readonly status: object
    }
  }
  it("returns the token's user", () => {
    const { status } = review({})
    assert.deepInclude(status, { authenticated: true, audiences: [ISSUER] })
    assert.nestedPropertyVal(status, "user.username", "system:serviceaccount:default:robot")
  })
  it("reports an unknown token, or another audience", () => {
    assert.deepStrictEqual(review({ token: "x" }).status, { user: {}, error: "invalid bearer token" })
    assert.deepStrictEqual(review({ audiences: ["vault"] }).status, {
      user: {},
      error: `[invalid bearer token, token audiences ["${ISSUER}"] is invalid for the target audiences ["vault"]]`
    })
  })
})

describe("client certificates", () => {
  const certificateOf = (commonName: string, organizations: ReadonlyArray<string>): Uint8Array => {
    const folder = mkdtempSync(join(tmpdir(), "security-"))
    const pki = Effect.runSync(openPki({ folder, nowMs: START_MS }))
    rmSync(folder, { recursive: true })
    return new X509Certificate(pki.clientCertificate({ commonName, organizations }, START_MS).certificatePem).raw
  }
  const ask = (certificate: Uint8Array | undefined, nowMs = START_MS) =>
    clientCertificates(() => nowMs).authenticate({ headers: {}, certificate })

  it("have user and groups, and a credential ID", () => {
    const user = ask(certificateOf("system:node:n1", ["system:nodes"]))
    if (user === undefined || user === "invalid") throw new Error("not believed")
    assert.deepInclude(user, { user: "system:node:n1", groups: ["system:nodes", "system:authenticated"] })
    assert.match(user.extra?.["authentication.kubernetes.io/credential-id"]?.[0] ?? "", /^X509SHA256=[0-9a-f]{64}$/)
  })
  it("expire, however old the connection", () => {
    const certificate = certificateOf("alice", [])
    assert.notStrictEqual(ask(certificate, START_MS + 364 * 24 * HOUR_MS), "invalid")
    assert.strictEqual(ask(certificate, START_MS + 366 * 24 * HOUR_MS), "invalid")
  })
  it("return one value for one certificate, which can be used as a cache key", () => {
    const { authenticate } = clientCertificates(() => START_MS)
    const certificate = certificateOf("alice", [])
    const again = new Uint8Array(certificate)
    assert.strictEqual(authenticate({ headers: {}, certificate }), authenticate({ headers: {}, certificate: again }))
  })
  it("are ignored when missing, and without a name", () => {
    assert.strictEqual(ask(undefined), undefined)
    assert.strictEqual(ask(certificateOf("", ["system:masters"])), undefined)
  })
})
